// What models have used and what that cost, summed: by role, model or session, and over time.
import { z } from 'zod';

export const UsageBy = z.enum(['role', 'model', 'session', 'day']);
export type UsageBy = z.infer<typeof UsageBy>;

export const UsageStep = z.enum(['hour', 'day']);
export type UsageStep = z.infer<typeof UsageStep>;

export const UsageSum = z.object({
  /** That used a model and have ended. */
  turns: z.int().nonnegative(),
  /** All that was read, from a cache or not. */
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  cacheReadTokens: z.int().nonnegative(),
  cacheWriteTokens: z.int().nonnegative(),
  /** Of the turns whose price is known; `null` when none is. A rehearsal costs 0. */
  costUsd: z.number().nullable(),
  /** Turns whose price is not known: they are not in `costUsd`. */
  unpricedTurns: z.int().nonnegative(),
});
export type UsageSum = z.infer<typeof UsageSum>;

export const UsagePoint = UsageSum.extend({
  /** The day, `2026-11-15`, or the hour, `2026-11-15T09:00`, in the asker's time. */
  at: z.string(),
});
export type UsagePoint = z.infer<typeof UsagePoint>;

export const UsageGroup = UsageSum.extend({
  /** A role, a model, a session's id or a day. Empty: sessions that were deleted. */
  key: z.string(),
  /** Of a session. */
  title: z.string().optional(),
  /** Oldest first; what used nothing is left out. None of a day. */
  points: z.array(UsagePoint),
});
export type UsageGroup = z.infer<typeof UsageGroup>;
