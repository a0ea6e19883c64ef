// What the core is given from outside, and what it lends to tools.
import type { Config, Engine, Role, Store, Toolkit } from '@toolyard/sdk';
import type { AgentPartDeps } from './agents/agent-parts.ts';
import type { Agents } from './agents/agents.ts';
import type { TaskAccess } from './agents/task-access.ts';
import type { Hooks } from './calls/hooks.ts';
import type { Outputs } from './calls/output.ts';
import type { Clock, Logger, OnCrashPoint } from './lib/ports.ts';
import type { Models } from './models/models.ts';
import type { Redact } from './operator-log/redact.ts';
import type { Traces } from './operator-log/traces.ts';
import type { Search } from './search/search.ts';
import type { SessionRecords } from './session-records/session-records.ts';

export interface CoreDeps {
  store: Store;
  config: Config;
  /** What the environment and the command add to a configuration. */
  completeConfig(config: Config): Config;
  /** Keys that they set whatever the file says. */
  givenConfig(): ReadonlyMap<string, unknown>;
  clock: Clock;
  logger: Logger;
  onCrashPoint: OnCrashPoint;
  hooks: Hooks;
  env: NodeJS.ProcessEnv;
  home: string;
  /** Roles that ship. */
  shippedFolder: string;
  /** Roles of the program around the yard. */
  givenRoles: readonly Role[];
  /** Where whole outputs are kept. */
  outputsFolder: string;
  /** Takes secrets out of what is written down. */
  redact: Redact;
  /** The owner's token. */
  ownerToken: string;
  /** Where the server listens, or would. */
  port(): number;
  defaultCwd: string;
  rehearsing: boolean;
  models: Models;
  /** Aborts when this process may no longer write. */
  lost: AbortSignal;
  traces: Traces;
  /** `model` decides when the name is `auto`. */
  findEngine(name: string, model?: string): Engine;
  /** All there are, for the conversations that they keep themselves. */
  engines: readonly Engine[];
  /** The tools, given what they may ask of the core. */
  toolkits(parts: ToolParts): readonly Toolkit[];
  worktrees: AgentPartDeps['worktrees'];
}

/** What tools may ask of the core. */
export interface ToolParts {
  records: SessionRecords;
  outputs: Outputs;
  search: Search;
  agents: Agents;
  taskAccess: TaskAccess;
}
