// Tasks: pieces of work with a slug, and every dispatch that worked on them.
import { z } from 'zod';
import { Agent, AgentId } from './agent.ts';
import { Slug, TurnId } from './session.ts';

export const TaskStatus = z.enum(['open', 'closed']);
export type TaskStatus = z.infer<typeof TaskStatus>;

export const Task = z.object({
  slug: Slug,
  description: z.string(),
  status: TaskStatus,
  dispatchCount: z.int().nonnegative(),
  /** Of those, how many still work. */
  liveCount: z.int().nonnegative(),
  /** `null` when the price of a model is not known. */
  costUsd: z.number().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  closedAt: z.iso.datetime().optional(),
  /** What was said when it was closed. */
  outcome: z.string().optional(),
});
export type Task = z.infer<typeof Task>;

/** One agent's work on a task. A person's own turn on a task is one, too: its id is the turn's. */
export const Dispatch = Agent.extend({ id: z.union([AgentId, TurnId]) });
export type Dispatch = z.infer<typeof Dispatch>;

const Description = z.string().max(4_000);

export const CreateTask = z.strictObject({ slug: Slug, description: Description.default('') });
export type CreateTask = z.input<typeof CreateTask>;

export const CloseTask = z.strictObject({ outcome: Description.optional() });
export type CloseTask = z.infer<typeof CloseTask>;

export const TaskContext = z.object({ context: z.string() });
export type TaskContext = z.infer<typeof TaskContext>;
