// When to try a model call again, and after how long. Pure: it reckons, others wait.

export interface RetryPolicy {
  /** Calls in all, the first included. */
  attempts: number;
  /** The wait after the first failure; it doubles each time. */
  initialWaitMs: number;
  /** No single wait is longer; a provider that asks for more is given up on. */
  maxWaitMs: number;
  /** No new wait begins that would end later than this after the first call. */
  totalMs: number;
}

export const defaultRetry: RetryPolicy = {
  attempts: 5,
  initialWaitMs: 1_000,
  maxWaitMs: 60_000,
  totalMs: 300_000,
};

export interface Failed {
  /** How many calls have failed so far. */
  attempts: number;
  elapsedMs: number;
  headers?: Record<string, string>;
  /** The time now, to read a `retry-after` that names a date. */
  now: number;
  /** From 0 up to 1. */
  random: number;
}

/** How long to wait before the next call, or `undefined` to give up. */
export function toRetryDelay(policy: RetryPolicy, failed: Failed): number | undefined {
  if (failed.attempts >= policy.attempts) return undefined;
  const asked = failed.headers && toRetryAfter(failed.headers, failed.now);
  const waitMs = asked ?? backOff(policy, failed);
  if (waitMs > policy.maxWaitMs || failed.elapsedMs + waitMs > policy.totalMs) return undefined;
  return waitMs;
}

/** Between half and all of the doubled wait, so that many clients do not come back at once. */
function backOff({ initialWaitMs, maxWaitMs }: RetryPolicy, { attempts, random }: Failed): number {
  const full = Math.min(initialWaitMs * 2 ** (attempts - 1), maxWaitMs);
  return full / 2 + (full / 2) * random;
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. Nonsense is as good as nothing. */
export function toRetryAfter(headers: Record<string, string>, now: number): number | undefined {
  const ms = toCount(headers['retry-after-ms']);
  if (ms !== undefined) return ms;
  const after = headers['retry-after'];
  const seconds = toCount(after);
  if (seconds !== undefined) return seconds * 1_000;
  // Date.parse reads a date into almost any number; one in a header names its day and month.
  const date = after !== undefined && /[a-z]{3}/i.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function toCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
