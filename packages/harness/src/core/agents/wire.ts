// The rooms of agents, wired to each other. What they need of turns and engines comes from whoever wires those.
import type { Config, Role, RunLimits, RunRow, Store } from '@toolyard/sdk';
import type { Above } from '../access/access.ts';
import type { AgentIdentity } from '../access/resolved-agent.ts';
import type { Trust } from '../access/trust.ts';
import type { Questions } from '../approvals/questions.ts';
import { followSession } from '../budget/agent-rows.ts';
import { allBelow } from '../budget/family.ts';
import { createLedger } from '../budget/ledger.ts';
import { type RunRoot, toLimits } from '../budget/run-limits.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock, Logger, Reach } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Roles } from '../roles/roles.ts';
import type { SessionRecords } from '../sessions/session-records.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { createAgentLifecycle } from './agent-lifecycle.ts';
import { createAgentWorktrees, type WorktreeLife } from './agent-worktrees.ts';
import { createAgents } from './agents.ts';
import { createAwaiting } from './awaiting.ts';
import { createDraft, type DraftDeps } from './draft.ts';
import { createKill, endAgentsOf, type KillDeps } from './kill.ts';
import { createOutsideRuns } from './outside-run.ts';
import { createRevive } from './revive.ts';
import { createSlots } from './slots.ts';

export interface AgentPartDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  reach: Reach;
  newId: NewId;
  defaultCwd: string;
  /** The person's own, as it is now. */
  config(): Config;
  roles: Roles;
  tasks: Tasks;
  worktrees: WorktreeLife & DraftDeps['worktrees'];
  trust: Pick<Trust, 'inherit'>;
  /** What a session's agent is now. */
  resolve(session: AgentIdentity): Promise<{ role: Role; config: Config; above?: Above }>;
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
    aside: (sessionId, work) => lifecycle.aside(sessionId, work),
    onWaiting: (sessionId, isWaiting) => {
      const at = new Date(clock.now()).toISOString();
      const status = isWaiting ? 'waiting' : 'running';
      void log.defer((tx) => followSession(tx, sessionId, status, at), sessionId);
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
    killBelow: async (sessionId, runId) => void (await kill.below(sessionId, runId)),
    closeEngine: removeEngine,
  });

  return {
    lifecycle,
    isAwaiting: awaiting.isAwaiting,
    followRaise: ledger.follow,
    /** Ends all under a session; names the sessions that worked there. */
    async endFamily(sessionId: string): Promise<string[]> {
      await kill.below(sessionId);
      return (await allBelow(store.reads, sessionId)).map((row) => row.sessionId);
    },
    /** Ends all under a session. Says whether they have ended. */
    endAgents: async (sessionId: string): Promise<boolean> => (await kill.below(sessionId)).left.length === 0,
    /** Its token was revoked: ends all agents that it has drafted. */
    endAgentsOf(tokenId: string): void {
      endAgentsOf(tokenId, store.reads, kill).catch((cause: unknown) =>
        logger.warn('agents of a token work on', { cause, id: tokenId }),
      );
    },
    /** The configuration may say another number now. */
    serveSlots: slots.serve,
    revive: createRevive({ reads: store.reads, tasks: deps.tasks, limitsOf }),
    /** After a start. */
    finishLeftovers: worktrees.finishLeftovers,
    /** Once there are sessions, questions and turns. */
    open(rest: { sessions: SessionRecords; questions: Questions; wake(sessionId: string): void }) {
      const { accountOf } = lifecycle;
      const openOutsideRun = createOutsideRuns({ store, clock, ledger, limitsOf });
      const draft = createDraft({ ...deps, ...rest, ledger, limitsIn, accountOf, openOutsideRun });
      const { minutesOf } = ledger;
      return createAgents({ ...deps, draft, awaiting, kill, limitsOf, minutesOf, accountOf });
    },
  };
}
