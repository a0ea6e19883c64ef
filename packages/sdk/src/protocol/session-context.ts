// What the agent of a session is given, for a person who asks why it can or cannot do something.
import { z } from 'zod';
import { PermissionMode } from './session.ts';

export const SessionContext = z.object({
  engine: z.string(),
  model: z.string(),
  mode: PermissionMode,
  role: z.string(),
  instructions: z.string(),
  /** The host tools on offer, by full name. */
  tools: z.array(z.string()),
  /** Those of the engine's own tools that the role has. */
  nativeTools: z.array(z.string()),
  /** How full the model's window is, when the engine runs and can tell. */
  window: z
    .object({
      usedTokens: z.int().nonnegative(),
      windowTokens: z.int().nonnegative(),
      parts: z.array(z.object({ name: z.string(), tokens: z.int().nonnegative() })),
    })
    .optional(),
});
export type SessionContext = z.infer<typeof SessionContext>;
