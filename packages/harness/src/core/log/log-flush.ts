// The last thing a stopping server does with its log.
import { pause } from '@toolyard/sdk';
import type { Log } from './log.ts';

/** How long a stopping server tries to write what is pending. */
const flushWithinMs = 1_000;

/** What was left to ride with the next commit, unless the disk refuses. */
export async function flushLog(log: Log): Promise<void> {
  const flushed = new AbortController();
  log.defer(async () => {}).then(() => flushed.abort());
  await pause(flushWithinMs, flushed.signal);
}
