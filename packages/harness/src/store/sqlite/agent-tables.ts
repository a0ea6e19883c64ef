// The rows of tasks, the work on them and the runs, for Kysely's types. The truth about columns is in migrations/.
import type { AgentStatus, TaskStatus } from '@toolyard/sdk';
import type { Generated, GeneratedAlways } from 'kysely';

export interface AgentTables {
  tasks: TaskTable;
  task_counts: TaskCountTable;
  dispatches: DispatchTable;
  runs: RunTable;
}

export interface TaskTable {
  position: Generated<number>;
  slug: string;
  description: string;
  status: TaskStatus;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  outcome: string | null;
  /** Each step counts once, for the dispatch that took it. */
  spent_usd: Generated<number>;
  unpriced: Generated<number>;
}

/** Kept by triggers. */
export interface TaskCountTable {
  task_slug: string;
  status: AgentStatus;
  dispatches: number;
}

export interface DispatchTable {
  position: Generated<number>;
  id: string;
  drafted: number;
  task_slug: string;
  session_id: string;
  turn_id: string;
  run_id: string;
  parent_session_id: string | null;
  root_session_id: string;
  status: AgentStatus;
  live: GeneratedAlways<number>;
  unresolved: number;
  drafted_at: string;
  started_at: string;
  ended_at: string | null;
  /** Of itself and all under it. */
  spent_usd: number;
  unpriced: number;
  tokens: Generated<number>;
  worktree: string | null;
  /** What was said to it and by it: emptied when its session is deleted. */
  said: string;
  /** What hardly ever changes. */
  body: string;
}

export interface RunTable {
  position: Generated<number>;
  id: string;
  root_session_id: string;
  started_at: string;
  raised: string;
  agents: number;
  spent_usd: number;
  tokens: number;
  waited_ms: number;
  last_active_at: string;
}
