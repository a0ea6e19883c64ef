// Waiting for agents: bounded, as often as one likes, and always answered from what is stored.
import {
  type AwaitedAgent,
  type DispatchRow,
  isLive,
  type Progress,
  type Session,
  type Store,
  type StoreReads,
} from '@toolyard/sdk';
import { toAwaited } from '../agent-records/agent-records.ts';
import { findOwnAgent } from '../agent-records/agent-tree.ts';
import type { Clock } from '../lib/ports.ts';

const noticeIntervalMs = 5_000;

export interface AwaitingDeps {
  store: Store;
  clock: Clock;
  /** Does what is nothing but waiting, without holding up others. */
  waitWithoutSlot<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
  /** The caller waits for an agent now, or no longer. */
  onWaiting(sessionId: string, isWaiting: boolean): void;
}

export interface AwaitOptions {
  /** None: a person. */
  caller?: Session;
  timeoutMs: number;
  signal: AbortSignal;
  progress?: (report: Progress) => void;
}

export type Awaiting = ReturnType<typeof createAwaiting>;

export function createAwaiting({ store, clock, waitWithoutSlot, onWaiting }: AwaitingDeps) {
  const listeners = new Map<string, Set<() => void>>();
  /** Sessions with a call that waits, and how many. */
  const callers = new Map<string, number>();

  /** Resolves when one of them ends, the time is up or the caller leaves. */
  async function untilEnded(
    ids: readonly string[],
    { timeoutMs, signal, progress }: AwaitOptions,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const id of ids) listeners.set(id, (listeners.get(id) ?? new Set()).add(resolve));
    const timer = setTimeout(resolve, Math.min(timeoutMs, 2 ** 31 - 1));
    const notices = progress && setInterval(() => void report(ids, progress), noticeIntervalMs);
    signal.addEventListener('abort', () => resolve(), { once: true });
    try {
      // One may have ended before we began to listen.
      if (!signal.aborted && (await findEnded(store.reads, ids)) === undefined) await promise;
    } finally {
      clearTimeout(timer);
      clearInterval(notices);
      for (const id of ids) forget(id, resolve);
    }
  }

  function forget(id: string, listener: () => void): void {
    const left = listeners.get(id);
    left?.delete(listener);
    if (left?.size === 0) listeners.delete(id);
  }

  async function report(ids: readonly string[], progress: (report: Progress) => void): Promise<void> {
    const rows = await Promise.all(ids.map((id) => store.reads.dispatch(id)));
    const lines = rows.flatMap((row) => (row ? [formatProgress(row, clock.now())] : []));
    progress({ message: lines.join('; ') });
  }

  async function first(ids: readonly string[], options: AwaitOptions): Promise<DispatchRow | undefined> {
    const { caller, timeoutMs } = options;
    const rows = await Promise.all(ids.map((id) => findOwnAgent(store.reads, id, caller)));
    const ended = rows.find((row) => !isLive(row));
    if (ended || timeoutMs <= 0) return ended;
    const wait = () => untilEnded(ids, options);
    if (!caller) await wait();
    else await waitAs(caller.id, wait);
    return findEnded(store.reads, ids);
  }

  async function waitAs(sessionId: string, wait: () => Promise<void>): Promise<void> {
    const count = (callers.get(sessionId) ?? 0) + 1;
    callers.set(sessionId, count);
    if (count === 1) onWaiting(sessionId, true);
    try {
      await waitWithoutSlot(sessionId, wait);
    } finally {
      const left = (callers.get(sessionId) ?? 1) - 1;
      if (left > 0) callers.set(sessionId, left);
      else {
        callers.delete(sessionId);
        onWaiting(sessionId, false);
      }
    }
  }

  return {
    isAwaiting: (sessionId: string): boolean => callers.has(sessionId),

    /** Throws `agent_not_found` and `not_your_agent`. */
    async one(id: string, options: AwaitOptions): Promise<AwaitedAgent> {
      const row = await first([id], options);
      return row ? toAwaited(row) : { agentId: id, status: 'running' };
    },

    /** The first of them that has ended, in the order they were named. */
    async any(ids: readonly string[], options: AwaitOptions): Promise<AwaitedAgent | undefined> {
      const row = await first(ids, options);
      return row && toAwaited(row);
    },

    /** After the commit that says so. */
    ended(id: string): void {
      for (const listener of listeners.get(id) ?? []) listener();
    },
  };
}

async function findEnded(reads: StoreReads, ids: readonly string[]): Promise<DispatchRow | undefined> {
  const rows = await Promise.all(ids.map((id) => reads.dispatch(id)));
  return rows.find((row) => row !== undefined && !isLive(row));
}

function formatProgress({ id, role, status, startedAt, costUsd }: DispatchRow, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(startedAt)) / 1_000));
  const cost = costUsd === null ? '' : `, $${costUsd.toFixed(2)}`;
  return `${role} ${id} is ${status}, ${seconds} s${cost}`;
}
