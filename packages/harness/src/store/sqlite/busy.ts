// Waiting for a locked database without stopping the event loop: SQLite's own waiting would block it.
import { pause } from '@toolyard/sdk';
import { isBusy } from './sqlite-errors.ts';

/** How long a locked database is waited for before a request fails. */
export const shippedPatienceMs = 5_000;
const longestPauseMs = 25;

/** Tries at once, then again and again until `deadline` (of `performance.now()`) as long as the answer is "busy". */
export async function patiently<T>(action: () => T, deadline: number): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return action();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= deadline) throw thrown;
    }
    await pause(pauseMs);
  }
}
