// A model as a person chooses one: what it reads, what it costs, and whether it can be used now.
import { z } from 'zod';

/** US dollars for a million tokens; `null` is not known, which is never the same as nothing. */
export const Rates = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().nullable(),
  cacheWrite: z.number().nonnegative().nullable(),
});
export type Rates = z.infer<typeof Rates>;

/** `above`: the rates of a whole step that reads more than so many tokens. */
export const ModelPrice = Rates.extend({ above: Rates.extend({ tokens: z.int().positive() }).optional() });
export type ModelPrice = z.infer<typeof ModelPrice>;

export const ModelInfo = z.object({
  /** `provider/id`, as a session names it. */
  name: z.string(),
  provider: z.string(),
  id: z.string(),
  /** Tokens it can read. */
  contextWindow: z.int().positive().nullable(),
  price: ModelPrice.nullable(),
  usable: z.boolean(),
  /** Why it cannot be used now, and what to do; or how to name one of a provider that has no list (`id` is `*`). */
  reason: z.string().optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;
