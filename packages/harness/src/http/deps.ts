// What the HTTP rooms are given.
import type { Config, Finding, Health, Store } from '@toolyard/sdk';
import type { Agents } from '../core/agents/agents.ts';
import type { Approvals } from '../core/approvals.ts';
import type { Attempts } from '../core/attempts.ts';
import type { Backups } from '../core/backup/backups.ts';
import type { CallDirectly } from '../core/direct-calls.ts';
import type { ExplainTools } from '../core/explain.ts';
import type { Grants } from '../core/grants.ts';
import type { Log } from '../core/log.ts';
import type { Models } from '../core/models.ts';
import type { Outputs } from '../core/output.ts';
import type { Logger } from '../core/ports.ts';
import type { Principal, Principals } from '../core/principals.ts';
import type { Questions } from '../core/questions.ts';
import type { Roles } from '../core/roles.ts';
import type { Search } from '../core/search.ts';
import type { SessionDesk } from '../core/session-desk.ts';
import type { ExportSession } from '../core/session-export.ts';
import type { ForkSessionOf } from '../core/session-fork.ts';
import type { SessionRemoval } from '../core/session-removal.ts';
import type { Sessions } from '../core/sessions.ts';
import type { Settings } from '../core/settings.ts';
import type { Resolve } from '../core/standing.ts';
import type { TaskDesk } from '../core/task-desk.ts';
import type { Toolbox } from '../core/toolbox.ts';
import type { Trust } from '../core/trust.ts';
import type { Turns } from '../core/turns.ts';
import type { ReadUsage } from '../core/usage.ts';
import type { ReaderLimits } from './reader-limits.ts';
import type { Readers } from './readers.ts';

export interface HttpDeps {
  agents: Agents;
  taskDesk: TaskDesk;
  sessions: Sessions;
  sessionDesk: SessionDesk;
  sessionExport: ExportSession;
  fork: ForkSessionOf;
  removal: Pick<SessionRemoval, 'deleteSession'>;
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
