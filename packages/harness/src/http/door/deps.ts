// What the HTTP rooms are given.
import type { Config, Finding, Health, Store } from '@toolyard/sdk';
import type { Resolve } from '../../core/access/resolved-agent.ts';
import type { Trust } from '../../core/access/trust.ts';
import type { Agents } from '../../core/agents/agents.ts';
import type { TaskDesk } from '../../core/agents/task-desk.ts';
import type { Approvals } from '../../core/approvals/approvals.ts';
import type { Questions } from '../../core/approvals/questions.ts';
import type { Backups } from '../../core/backup/backups.ts';
import type { ReadUsage } from '../../core/budget/usage.ts';
import type { ExplainTools } from '../../core/calls/explain.ts';
import type { Outputs } from '../../core/calls/output.ts';
import type { Toolbox } from '../../core/calls/toolbox.ts';
import type { Grants } from '../../core/grants/grants.ts';
import type { Attempts } from '../../core/identity/attempts.ts';
import type { Principal, Principals } from '../../core/identity/principals.ts';
import type { Logger } from '../../core/lib/ports.ts';
import type { Log } from '../../core/log/log.ts';
import type { Models } from '../../core/models/models.ts';
import type { Roles } from '../../core/roles/roles.ts';
import type { Search } from '../../core/search/search.ts';
import type { Sessions } from '../../core/session-ops/sessions.ts';
import type { Settings } from '../../core/settings/settings.ts';
import type { CallDirectly } from '../../core/turns/direct-calls.ts';
import type { Turns } from '../../core/turns/turns.ts';
import type { ReaderLimits, Readers } from './readers.ts';

export interface HttpDeps {
  agents: Agents;
  taskDesk: TaskDesk;
  sessions: Sessions;
  search: Search;
  turns: Turns;
  toolbox: Toolbox;
  log: Log;
  logger: Logger;
  readers: Readers;
  readerLimits: ReaderLimits;
  principals: Principals;
  attempts: Attempts;
  backups: Backups;
  approvals: Approvals;
  questions: Questions;
  grants: Grants;
  outputs: Outputs;
  roles: Roles;
  models: Models;
  trust: Trust;
  explainTools: ExplainTools;
  callDirectly: CallDirectly;
  settings: Settings;
  readUsage: ReadUsage;
  configs: { for(workspace: string): Promise<Config> };
  /** What a session's agent is now. */
  resolve: Resolve;
  store: Store;
  /** Directory of whoever names none. */
  defaultCwd: string;
  /** The address the server was told to listen on. */
  listenHost(): string;
  health(): Health;
  /** Where the built page lies. */
  pageFolder: string;
  /** Looks at the machine and the home. */
  diagnose(): Promise<Finding[]>;
  /** Of this program, as the OpenAPI document says it. */
  version: string;
  /** Answers a request at /mcp. `body` is what the body of a POST says, parsed. */
  mcp(request: Request, principal: Principal, body: unknown): Promise<Response>;
}
