// Reading a log across broken lines: from the last place that was seen, each item once, until told to stop.

import { pause } from '../lib/wait.ts';
import { ToolyardError } from '../protocol/error.ts';

export interface ReadOptions {
  /** Number of the last event already seen; of all sessions, its position. */
  after?: number;
  signal?: AbortSignal;
  /** How long to try again after the line breaks before giving up (default: for ever). */
  patienceMs?: number;
}

/** An item and its place; a place without an item says where reading began. */
export interface Placed<T> {
  place: number;
  item?: T;
}

/** `read` opens one line past a place; it ends or throws when the line does. A yard that was closed ends the log. */
export async function* follow<T>(
  read: (after: number | undefined) => AsyncGenerator<Placed<T>>,
  { signal, patienceMs, after: start }: ReadOptions,
): AsyncGenerator<T> {
  let after = start;
  let brokenSince: number | undefined;
  for (let attempt = 0; !signal?.aborted; attempt++) {
    try {
      for await (const { place, item } of read(after)) {
        after = place;
        attempt = 0;
        brokenSince = undefined;
        if (item !== undefined) yield item;
      }
    } catch (thrown) {
      if (signal?.aborted || isClosed(thrown)) return;
      if (!isBrokenLine(thrown)) throw thrown;
      brokenSince ??= Date.now();
      if (patienceMs !== undefined && Date.now() - brokenSince >= patienceMs) throw thrown;
    }
    await pause(toBackoff(attempt), signal);
  }
}

/** How long to wait before the next attempt, in milliseconds. */
export function toBackoff(attempt: number): number {
  return Math.min(50 * 2 ** attempt, 2_000);
}

function isClosed(thrown: unknown): boolean {
  return thrown instanceof ToolyardError && thrown.code === 'closed';
}

/** A line that may come back, as against an answer that will not change. */
export function isBrokenLine(thrown: unknown): boolean {
  if (!(thrown instanceof ToolyardError)) return true;
  return thrown.code === 'server_unreachable' || thrown.code === 'shutting_down';
}
