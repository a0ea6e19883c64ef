// The part of the Store port that keeps tasks, the work on them and the runs that limits belong to.
import type { AgentStatus, Report, RunLimits, Worktree } from '../protocol/agent.ts';
import type { Dispatch, Task, TaskStatus } from '../protocol/task.ts';

/** One piece of work on a task: a drafted agent's, or a person's own turn. Outlives its session, but for what was said. */
export interface DispatchRow extends Dispatch {
  /** An agent, and not a person's own turn. */
  drafted: boolean;
  /** The turn that is the work. */
  turnId: string;
  /** The session that drafted it. */
  parentSessionId?: string;
  /** The call that drafted it, unless a person did. */
  call?: { turnId: string; toolCallId: string };
  /** What it has reported so far. */
  report?: Report;
  /** What it had said last when it ended, before it was tried again. */
  saidBefore?: string;
  /** What the roles on the way to it say: how deep agents may be under the root, and how many live ones under it. */
  maxDepth: number;
  maxChildren: number;
  /** The roles of all above it, as they were when it was drafted: it has no tool that one of them lacks. */
  ceiling: readonly RoleCeiling[];
  /** What it and all under it have used, tokens from a cache left out. */
  tokens?: number;
  /** What its role allows it and all under it, unless it is the root of its run. */
  bounds?: RoleBounds;
  /** It has no budget of its own, but what is left to those above it; `budgetUsd` says how much that was. */
  sharesBudget?: boolean;
  /** What it is to be isolated by, and whether that is to stay. */
  keepWorktree?: boolean;
}

/** What of a role says which tools it has, and where whoever has it works. */
export interface RoleCeiling {
  name: string;
  category: string;
  access?: 'full' | 'readonly';
  tools: { allow: readonly string[]; deny: readonly string[] };
  /** The rules of this workspace hold for all below, wherever they work. */
  workspace?: string;
}

/** Limits of an agent's role that are not the run's. */
export interface RoleBounds
  extends Partial<Pick<RunLimits, 'tokens' | 'wallMinutes' | 'maxAgents' | 'spawnPerMinute' | 'budgetUsd'>> {
  /** How much of the run's time had gone when it began to work. */
  beganMs?: number;
}

export interface RunRow {
  id: string;
  rootSessionId: string;
  startedAt: string;
  /** What a person has added to the limits, when they were asked. */
  raised: Partial<RunLimits>;
  /** Drafted in all. */
  agents: number;
  spentUsd: number;
  tokens: number;
  /** How long its root has waited for a person, or nobody has worked in it: that is not the run's time. */
  waitedMs: number;
  /** When somebody last worked in it, as far as is known. */
  lastActiveAt: string;
}

/** The sessions of one caller that are made for its calls, as one role in one place. */
export interface Callers {
  caller: string;
  role: string;
  cwd: string;
}

/** All of them must fit. A flag that is `false` asks for the others. */
export interface DispatchFilter {
  drafted?: boolean | undefined;
  /** Only those that have not ended. */
  live?: boolean | undefined;
  /** Only those that live, or that have ended with questions or issues, or not well. */
  unresolved?: boolean | undefined;
  taskSlug?: string | undefined;
  runId?: string | undefined;
  rootSessionId?: string | undefined;
  parentSessionId?: string | undefined;
  /** Only those under a session of this caller. */
  under?: Callers | undefined;
  /** ISO time; only those drafted later. */
  since?: string | undefined;
}

export interface AgentReads {
  dispatch(id: string): Promise<DispatchRow | undefined>;
  /** The work that a turn is, if it is on a task. */
  dispatchOfTurn(turnId: string): Promise<DispatchRow | undefined>;
  /** Newest first; `after` is the id of the last one already seen. */
  dispatches(filter: DispatchFilter & { limit: number; after?: string | undefined }): Promise<DispatchRow[]>;
  countDispatches(filter: DispatchFilter): Promise<number>;
  task(slug: string): Promise<Task | undefined>;
  /** Newest first; `after` is the slug of the last one already seen. */
  tasks(page: {
    status?: TaskStatus | undefined;
    limit: number;
    after?: string | undefined;
  }): Promise<Task[]>;
  /** By status, all dispatches of a task. */
  countByStatus(taskSlug: string): Promise<Partial<Record<AgentStatus, number>>>;
  run(id: string): Promise<RunRow | undefined>;
  /** The newest run of a session that is nobody's child, or of all such sessions of a caller. */
  latestRun(root: string | Callers): Promise<RunRow | undefined>;
  /** What all runs were charged with since, by the account of turns that have ended. */
  spentSince(at: string): Promise<number>;
}

export interface AgentWrites {
  insertTask(task: Pick<Task, 'slug' | 'description' | 'createdAt'>): Promise<void>;
  updateTask(
    slug: string,
    patch: Partial<Pick<Task, 'description' | 'status' | 'closedAt' | 'outcome' | 'updatedAt'>>,
  ): Promise<void>;
  /** Counts it for its task and, if drafted, for its run. */
  insertDispatch(row: DispatchRow): Promise<void>;
  /** Once it has ended, only its worktree and budget change, and without a status: a second end is passed over. */
  updateDispatch(id: string, patch: DispatchPatch): Promise<void>;
  /**
   * An agent that has ended goes on in another turn: it is queued again, and what it ended with is forgotten, what was found
   * in its worktree too. Only a summary that was not reported is kept, as `saidBefore`.
   */
  reopenDispatch(id: string, turnId: string): Promise<void>;
  insertRun(run: RunRow): Promise<void>;
  updateRun(id: string, patch: Partial<Pick<RunRow, 'raised' | 'waitedMs' | 'lastActiveAt'>>): Promise<void>;
  /** Adds what a step has used to a run, and to each of the dispatches: an agent's own and those above it. */
  addSpending(spending: Spending): Promise<void>;
}

export interface DispatchPatch {
  status?: AgentStatus;
  startedAt?: string;
  endedAt?: string;
  report?: Report;
  result?: DispatchRow['result'];
  error?: DispatchRow['error'];
  worktree?: Worktree;
  /** More, when a person has said so. */
  budgetUsd?: number;
  /** With when it began. */
  bounds?: RoleBounds;
}

export interface Spending {
  runId: string;
  dispatchIds: readonly string[];
  /** `null`: nobody knows. */
  costUsd: number | null;
  tokens: number;
  /** When, unless that was before the server stopped: somebody has worked in the run then. */
  at?: string;
}
