// Slows down whoever guesses: a few wrong tokens are a slip, many are an attack.
import { ToolyardError } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';

const windowMs = 60_000;
const maxFailures = 20;
const maxSources = 10_000;

/** Counts failures per source within a minute. Only who is wrong is refused: a right token always passes. */
export function createLoginThrottle(clock: Clock) {
  const failures = new Map<string, { count: number; since: number }>();

  return {
    /** Counts one more. Throws `too_many_attempts` when this source has failed too often. */
    fail(source: string): void {
      const now = clock.now();
      const before = failures.get(source);
      const found = before && now - before.since < windowMs ? before : { count: 0, since: now };
      if (failures.size >= maxSources) failures.clear();
      failures.set(source, { ...found, count: found.count + 1 });
      if (found.count < maxFailures) return;
      const seconds = Math.ceil((found.since + windowMs - now) / 1_000);
      throw new ToolyardError('too_many_attempts', `Too many wrong tokens. Try again in ${seconds} s.`, {
        data: { retryAfterSeconds: seconds },
      });
    },
  };
}
export type LoginThrottle = ReturnType<typeof createLoginThrottle>;
