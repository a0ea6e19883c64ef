// The configuration as a person sees it: what holds, who said so, and what of it can be changed from here.
import { z } from 'zod';

export const ConfigItem = z.object({
  /** Dotted: `limits.maxSteps`. */
  key: z.string(),
  description: z.string(),
  /** What holds now; absent when nothing does. */
  value: z.unknown().optional(),
  default: z.unknown().optional(),
  /** Who said so: nobody, config.yaml, or whoever started the server (its environment or command line). */
  source: z.enum(['default', 'file', 'start']),
  /** What values it takes, as JSON Schema. */
  schema: z.record(z.string(), z.unknown()),
  editable: z.boolean(),
  /** Where it is set, when it is not here, and why. */
  where: z.string().optional(),
  /** When a change counts: from the next call or turn on, or from the next start of the server on. */
  applies: z.enum(['now', 'restart']),
  /** What will hold after the next start, when that is something else; `null` when nothing will. */
  afterRestart: z.unknown().optional(),
});
export type ConfigItem = z.infer<typeof ConfigItem>;

export const ConfigView = z.object({
  items: z.array(ConfigItem),
  /** Of config.yaml, on the machine of the server. */
  path: z.string(),
  exists: z.boolean(),
  /** Why the file cannot be read as it is now. What held at the start holds on. */
  problem: z.string().optional(),
});
export type ConfigView = z.infer<typeof ConfigView>;

/** What to change: the part of the configuration that is to be another, and `null` for what is to be the default. */
export const ChangeConfig = z
  .record(z.string(), z.unknown())
  .refine((change) => Object.keys(change).length > 0, 'name at least one key to change');
export type ChangeConfig = z.infer<typeof ChangeConfig>;
