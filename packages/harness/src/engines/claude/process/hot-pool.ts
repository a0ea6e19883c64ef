// Which CLI processes are kept between turns: each for a while, not too many at once, and fewer when memory is short.
// Only idle ones are ever ended.
import { freemem } from 'node:os';

/** A CLI takes about 200 MB; below this much free memory idle ones make room. */
const shortOfMemory = 512 * 1024 * 1024;

export interface HotOptions {
  idleMs: number;
  maxHot: number;
  freeMemory?: () => number;
}

export type HotPool = ReturnType<typeof createHotPool>;

export function createHotPool({ idleMs, maxHot, freeMemory = freemem }: HotOptions) {
  const busy = new Set<object>();
  /** Least recently used first. */
  const idle = new Map<object, { evict: () => void; timer: NodeJS.Timeout }>();

  function forget(owner: object): (() => void) | undefined {
    const found = idle.get(owner);
    clearTimeout(found?.timer);
    idle.delete(owner);
    return found?.evict;
  }

  function evict(owner: object): void {
    forget(owner)?.();
  }

  function makeRoom(): void {
    for (const [owner] of idle) {
      const tooMany = busy.size + idle.size > maxHot;
      if (!tooMany && freeMemory() >= shortOfMemory) return;
      evict(owner);
      // One at a time when only memory is short: it takes a moment until it is given back.
      if (!tooMany) return;
    }
  }

  return {
    /** Its process works, or is about to start. */
    busy(owner: object): void {
      forget(owner);
      busy.add(owner);
      makeRoom();
    },
    /** Its process waits for the next turn. */
    idle(owner: object, onEvict: () => void): void {
      busy.delete(owner);
      forget(owner);
      const timer = setTimeout(() => evict(owner), idleMs);
      timer.unref();
      idle.set(owner, { evict: onEvict, timer });
      makeRoom();
    },
    /** It has no process any more. */
    remove(owner: object): void {
      busy.delete(owner);
      forget(owner);
    },
    counts: () => ({ busy: busy.size, idle: idle.size }),
  };
}
