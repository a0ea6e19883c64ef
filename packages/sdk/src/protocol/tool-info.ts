// A tool as people and clients see it in a list.
import { z } from 'zod';

/** What a call may do to the world; decides how it is judged. */
export const Effect = z.enum(['read', 'write', 'execute', 'delegate']);
export type Effect = z.infer<typeof Effect>;

/** How often a person is asked: never, once per session, each time. */
export const Tier = z.enum(['auto', 'session', 'always']);
export type Tier = z.infer<typeof Tier>;

export const ToolInfo = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  toolkit: z.string(),
  effect: Effect,
  tier: Tier,
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

/** A tool in the list of a role: whether it has it, what a call would meet, and why. */
export const ListedTool = ToolInfo.extend({
  /** The engine whose own tool it is. Nobody else can call it, and Toolyard knows no schema of it. */
  engine: z.string().optional(),
  offered: z.boolean(),
  verdict: z.enum(['allow', 'ask', 'deny']),
  rule: z.string(),
});
export type ListedTool = z.infer<typeof ListedTool>;
