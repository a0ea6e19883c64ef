// The rooms of agents, wired to each other. What they need of turns and engines comes from whoever wires those.
import type { Config, Role, RunLimits, RunRow, Session, Store, ToolyardError } from '@toolyard/sdk';
import type { Above } from '../access.ts';
import type { NewId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Clock, Logger, Reach } from '../ports.ts';
import type { Questions } from '../questions.ts';
import type { Roles } from '../roles.ts';
import type { Sessions } from '../sessions.ts';
import type { Tasks } from '../tasks.ts';
import type { Trust } from '../trust.ts';
import { followSession } from './agent-rows.ts';
import { createAgents } from './agents.ts';
import { createAwaiting } from './awaiting.ts';
import { createDraft, type DraftDeps } from './draft.ts';
import { allBelow } from './family.ts';
import { createKill } from './kill.ts';
import { createLedger } from './ledger.ts';
import { finishLeftovers } from './leftover-worktrees.ts';
import { createLife, type WorktreeLife } from './life.ts';
import { toLimits } from './run-limits.ts';
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
  resolve(session: Session): Promise<{ role: Role; config: Config; above?: Above }>;
  stopTurn(sessionId: string, reason: ToolyardError): Promise<void>;
  removeEngine(sessionId: string): Promise<void>;
}

/** Those that nothing of turns must be there for. */
export function createAgentParts(deps: AgentPartDeps) {
  const { store, log, clock, config, stopTurn, removeEngine } = deps;
  const slots = createSlots({ concurrency: () => config().limits.concurrency });

  async function limitsOf(rootSessionId: string, { raised }: Pick<RunRow, 'raised'>): Promise<RunLimits> {
    const root = await store.reads.session(rootSessionId);
    const known = root && (await deps.resolve(root).catch(() => undefined));
    return toLimits(known?.config ?? config(), known?.role ?? {}, raised);
  }

  const ledger = createLedger({ store, log, clock, limitsOf, dailyUsd: () => config().limits.dailyUsd });
  const awaiting = createAwaiting({
    ...{ store, clock },
    aside: (sessionId, work) => life.aside(sessionId, work),
    onWaiting: (sessionId, isWaiting) => {
      const at = new Date(clock.now()).toISOString();
      const status = isWaiting ? 'waiting' : 'running';
      void log.defer((tx) => followSession(tx, sessionId, status, at), sessionId);
    },
  });
  const kill = createKill({ store, stopTurn, removeEngine });
  const life = createLife({
    ...deps,
    ...{ slots, ledger, awaiting, inheritTrust: deps.trust.inherit },
    killBelow: async (sessionId, runId) => void (await kill.below(sessionId, runId)),
    closeEngine: removeEngine,
  });

  return {
    life,
    isAwaiting: awaiting.isAwaiting,
    /** Ends all under a session; names the sessions that worked there. */
    async endFamily(sessionId: string): Promise<string[]> {
      await kill.below(sessionId);
      return (await allBelow(store.reads, sessionId)).map((row) => row.sessionId);
    },
    /** After a start. */
    finishLeftovers: (signal: AbortSignal) => finishLeftovers(deps, signal),
    /** Once there are sessions, questions and turns. */
    open(rest: { sessions: Sessions; questions: Questions; wake(sessionId: string): void }) {
      const draft = createDraft({ ...deps, ...rest, ledger, accountOf: life.accountOf });
      return createAgents({ ...deps, draft, awaiting, kill, limitsOf });
    },
  };
}
