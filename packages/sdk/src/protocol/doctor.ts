// What the doctor says: one finding per thing that it looked at.
import { z } from 'zod';

export const Finding = z.object({
  name: z.string(),
  state: z.enum(['ok', 'warn', 'fail']),
  message: z.string(),
  /** What to do about it. */
  fix: z.string().optional(),
});
export type Finding = z.infer<typeof Finding>;
