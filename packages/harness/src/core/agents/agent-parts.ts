// The rooms of agents, wired to each other. What they need of turns and engines comes from whoever wires those.
import type { Config, Role, RunLimits, RunRow, Store } from '@toolyard/sdk';
import type { AncestorRoles } from '../access/access.ts';
import type { AgentIdentity, ReadFilesOf } from '../access/resolved-agent.ts';
import type { Trust } from '../access/trust.ts';
import { syncAgentStatus } from '../agent-records/agent-records.ts';
import { allDescendants } from '../agent-records/agent-tree.ts';
import type { Questions } from '../approvals/questions.ts';
import { createLedger } from '../budget/ledger.ts';
import { type RunRoot, toLimits } from '../budget/run-limits.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock, Logger, OnCrashPoint } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Roles } from '../roles/roles.ts';
import type { SessionRecords } from '../session-records/session-records.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { createAgentLifecycle } from './agent-lifecycle.ts';
import { createAgentWorktrees, type WorktreeOpener } from './agent-worktrees.ts';
import { createAgents } from './agents.ts';
import { createAwaiting } from './await-agents.ts';
import { createDraft, type DraftDeps } from './draft.ts';
import { createKill, endAgentsOf, type KillDeps } from './kill.ts';
import { createOutsideRuns } from './outside-run.ts';
import { createReopenAgent } from './reopen-agent.ts';
import { createSlots } from './slots.ts';

export interface AgentPartDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  onCrashPoint: OnCrashPoint;
  newId: NewId;
  defaultCwd: string;
  /** The person's own, as it is now. */
  config(): Config;
  roles: Roles;
  readFiles: ReadFilesOf;
  tasks: Tasks;
  worktrees: WorktreeOpener & DraftDeps['worktrees'];
  trust: Pick<Trust, 'inherit'>;
  /** What a session's agent is now. */
  resolve(session: AgentIdentity): Promise<{ role: Role; config: Config; ancestorRoles?: AncestorRoles }>;
  stopTurn: KillDeps['stopTurn'];
  removeEngine(sessionId: string): Promise<void>;
}

/** Those that nothing of turns must be there for. */
export function createAgentParts(deps: AgentPartDeps) {
  const { store, log, clock, logger, config, stopTurn, removeEngine } = deps;
  const slots = createSlots({ concurrency: () => config().limits.concurrency });

  /** Throws `unknown_role` and `invalid_config`: nobody works by wider limits because a narrow role is gone. */
  async function rootOf(rootSessionId: string): Promise<RunRoot> {
    const root = await store.reads.session(rootSessionId);
    return root ? deps.resolve(root) : { config: config(), role: {} };
  }

  async function limitsOf(rootSessionId: string, { raised }: Pick<RunRow, 'raised'>): Promise<RunLimits> {
    return toLimits(await rootOf(rootSessionId), raised);
  }

  async function limitsIn(workspace: string, role: Role): Promise<RunLimits> {
    return toLimits({ config: (await deps.resolve({ role: role.name, workspace })).config, role }, {});
  }

  const ledger = createLedger({ store, log, clock, rootOf, dailyUsd: () => config().limits.dailyUsd });
  const awaiting = createAwaiting({
    store,
    clock,
    waitWithoutSlot: (sessionId, work) => lifecycle.waitWithoutSlot(sessionId, work),
    onWaiting: (sessionId, isWaiting) => {
      const at = new Date(clock.now()).toISOString();
      const status = isWaiting ? 'waiting' : 'running';
      void log.defer((tx) => syncAgentStatus(tx, sessionId, status, at), sessionId);
    },
  });
  const kill = createKill({ store, stopTurn, removeEngine });
  const worktrees = createAgentWorktrees({
    ...deps,
    inheritTrust: deps.trust.inherit,
    closeEngine: removeEngine,
  });
  const lifecycle = createAgentLifecycle({
    ...deps,
    slots,
    ledger,
    awaiting,
    worktrees,
    killDescendants: async (sessionId, runId) => void (await kill.killDescendants(sessionId, runId)),
    closeEngine: removeEngine,
  });

  return {
    lifecycle,
    isAwaiting: awaiting.isAwaiting,
    onRaised: ledger.applyRaise,
    /** Ends all under a session; names the sessions that worked there. */
    async endDescendants(sessionId: string): Promise<string[]> {
      await kill.killDescendants(sessionId);
      return (await allDescendants(store.reads, sessionId)).map((row) => row.sessionId);
    },
    /** Ends all under a session. Says whether they have ended. */
    endAgents: async (sessionId: string): Promise<boolean> =>
      (await kill.killDescendants(sessionId)).left.length === 0,
    /** Its token was revoked: ends all agents that it has drafted. */
    endAgentsOf(tokenId: string): void {
      endAgentsOf(tokenId, store.reads, kill).catch((cause: unknown) =>
        logger.warn('could not end the agents of a revoked token', { cause, id: tokenId }),
      );
    },
    /** The configuration may say another number now. */
    serveSlots: slots.assignSlots,
    reopenAgent: createReopenAgent({ reads: store.reads, tasks: deps.tasks, limitsOf }),
    /** After a start. */
    finishLeftovers: worktrees.finishLeftovers,
    /** Once there are sessions, questions and turns. */
    open(rest: { records: SessionRecords; questions: Questions; wake(sessionId: string): void }) {
      const { accountOf } = lifecycle;
      const openOutsideRun = createOutsideRuns({ store, clock, ledger, limitsOf });
      const draft = createDraft({ ...deps, ...rest, ledger, limitsIn, accountOf, openOutsideRun });
      const { minutesOf } = ledger;
      return createAgents({ ...deps, draft, awaiting, kill, limitsOf, minutesOf, accountOf });
    },
  };
}
