// Agents: sessions that were drafted to work on a task, what they report, and the run that they belong to.
import { z } from 'zod';
import { Failure } from './error.ts';
import { SessionId, Slug, TurnId } from './session.ts';

export const AgentId = z.string().regex(/^agt_[0-9a-z]{22}$/, 'not an agent id');

export const AgentStatus = z.enum(['queued', 'running', 'waiting', 'done', 'failed', 'killed', 'expired']);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** The states in which an agent may still do something. */
export const liveStatuses: readonly AgentStatus[] = ['queued', 'running', 'waiting'];

export function isLive({ status }: { status: AgentStatus }): boolean {
  return liveStatuses.includes(status);
}

/** `worktree`: a git worktree and a branch of its own. `keep` leaves the worktree there when the agent has ended. */
export const Isolation = z.enum(['none', 'worktree', 'worktree-keep']);
export type Isolation = z.infer<typeof Isolation>;

/** Where an isolated agent worked, and what it changed there. */
export const Worktree = z.object({
  branch: z.string(),
  path: z.string(),
  /** The commit that it began at. */
  base: z.string(),
  /** Against `base`, once the agent has ended; what was not committed is in a commit of its own. */
  diff: z.object({ files: z.int(), insertions: z.int(), deletions: z.int(), commits: z.int() }).optional(),
  /** The directory is still there. */
  kept: z.boolean().optional(),
  /** Nothing was changed: the branch is gone, and the directory with it. */
  removed: z.boolean().optional(),
});
export type Worktree = z.infer<typeof Worktree>;

/** What others can be expected to read, and to be given again with the context of a task. */
const maxReported = 65_536;

const point = z.string().min(1).max(4_000);
const points = z.array(point).max(100);

/** What an agent reports, in whatever form models like to give lists in. */
export const Report = z
  .strictObject({
    summary: z.string().min(1).max(20_000),
    changes: z.union([points, point.transform((one) => [one])]).default([]),
    issues: z.union([points, point.transform((one) => [one])]).default([]),
    questions: z.union([points, point.transform((one) => [one])]).default([]),
  })
  .refine((report) => JSON.stringify(report).length <= maxReported, {
    message: `a report can have at most ${maxReported} characters in total: put the rest into a file and name it`,
  });
export type Report = z.infer<typeof Report>;

export const AgentResult = z.object({
  summary: z.string(),
  changes: z.array(z.string()),
  issues: z.array(z.string()),
  questions: z.array(z.string()),
  /** `false`: the agent has reported nothing, and the summary is the last thing it said. */
  reported: z.boolean(),
  /** What it and all under it had cost when it ended. */
  costUsd: z.number().nullable().optional(),
});
export type AgentResult = z.infer<typeof AgentResult>;

export const Agent = z.object({
  id: AgentId,
  role: Slug,
  taskSlug: Slug,
  status: AgentStatus,
  sessionId: SessionId,
  /** The agent that drafted it; none when a person's own session did, or a person. */
  parentAgentId: AgentId.optional(),
  rootSessionId: SessionId,
  /** 0 is the root of its run, 1 what that has drafted. */
  depth: z.int().nonnegative(),
  runId: TurnId,
  engine: z.string(),
  model: z.string(),
  /** The beginning of what it was told. The whole is the first message of its session. */
  prompt: z.string(),
  draftedAt: z.iso.datetime(),
  /** Until it runs, when it was drafted. */
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  /** Of itself and of all that it has drafted; `null` when the price of a model is not known. */
  costUsd: z.number().nullable(),
  /** What it and all that it drafts may spend; `null`: what is left of its run. */
  budgetUsd: z.number().nullable(),
  result: AgentResult.optional(),
  /** Why it did not come to an end of its own. */
  error: Failure.optional(),
  worktree: Worktree.optional(),
});
export type Agent = z.infer<typeof Agent>;

/** What somebody who waits hears: the whole answer, or that it still runs. Always the same once it has ended. */
export const AwaitedAgent = z.object({
  agentId: AgentId,
  status: AgentStatus,
  result: AgentResult.optional(),
  error: Failure.optional(),
  worktree: Worktree.optional(),
  costUsd: z.number().nullable().optional(),
  durationMs: z.int().nonnegative().optional(),
});
export type AwaitedAgent = z.infer<typeof AwaitedAgent>;

export const KilledAgent = z.object({
  success: z.boolean(),
  message: z.string(),
  /** All that were ended, itself first. */
  killed: z.array(AgentId),
});
export type KilledAgent = z.infer<typeof KilledAgent>;

/** Words for an agent: more than a model can read is a mistake. */
export const Prompt = z.string().max(200_000).regex(/\S/, 'say what the agent should do');

export const Budget = z.number().positive().max(1_000_000);

export const DraftAgent = z.strictObject({
  role: Slug,
  prompt: Prompt,
  taskSlug: Slug.optional(),
  budgetUsd: Budget.optional(),
  isolation: Isolation.optional(),
  cwd: z.string().min(1).max(4_096).optional(),
});
export type DraftAgent = z.infer<typeof DraftAgent>;

/** What a run may use; the smallest of what the configuration, its role and whoever drafted say. */
export const RunLimits = z.object({
  maxDepth: z.int().nonnegative(),
  maxChildren: z.int().nonnegative(),
  maxAgents: z.int().nonnegative(),
  spawnPerMinute: z.int().nonnegative(),
  budgetUsd: z.number().nonnegative(),
  tokens: z.int().nonnegative(),
  wallMinutes: z.number().nonnegative(),
});
export type RunLimits = z.infer<typeof RunLimits>;

/** One root turn with all agents under it, and how far it is from its limits. */
export const Run = z.object({
  id: TurnId,
  rootSessionId: SessionId,
  startedAt: z.iso.datetime(),
  limits: RunLimits,
  used: z.object({
    agents: z.int().nonnegative(),
    live: z.int().nonnegative(),
    costUsd: z.number(),
    tokens: z.int().nonnegative(),
    minutes: z.number().nonnegative(),
  }),
});
export type Run = z.infer<typeof Run>;
