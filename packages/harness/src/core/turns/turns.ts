// Turns: what runs in a session. Wires the queue, the run of one turn, its end, and calls without a conversation.
import type { Content, Engine, Session, Store } from '@toolyard/sdk';
import type { ResolvedAgent } from '../access/resolved-agent.ts';
import type { AgentLifecycle } from '../agents/agent-lifecycle.ts';
import type { ReopenAgent } from '../agents/reopen-agent.ts';
import { createSpendGate } from '../agents/spend-gate.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Decisions } from '../approvals/decisions.ts';
import type { Questions } from '../approvals/questions.ts';
import type { Toolbox } from '../calls/toolbox.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock, Logger, OnCrashPoint } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Prices } from '../models/prices.ts';
import type { Redact } from '../operator-log/redact.ts';
import type { DirectoryBounds } from '../workspace/workspaces.ts';
import { createDirectCalls } from './direct-calls.ts';
import { createEngineSessions } from './engine-sessions.ts';
import { recover } from './recovery.ts';
import { createTurnEnd } from './turn-end.ts';
import { createTurnHost } from './turn-host.ts';
import { createTurnQueue } from './turn-queue.ts';
import { createTurnRun } from './turn-run.ts';

export interface TurnDeps {
  store: Store;
  log: Log;
  clock: Clock;
  newId: NewId;
  logger: Logger;
  onCrashPoint: OnCrashPoint;
  redact: Redact;
  /** Aborts when this process may no longer write. */
  lost: AbortSignal;
  toolbox: Toolbox;
  approvals: Approvals;
  questions: Questions;
  decisions: Decisions;
  agents: {
    lifecycle: AgentLifecycle;
    isAwaiting(sessionId: string): boolean;
    endAgents(sessionId: string): Promise<boolean>;
    reopenAgent: ReopenAgent;
  };
  prices: Prices;
  resolve(session: Session): Promise<ResolvedAgent>;
  bounds: DirectoryBounds;
  /** Throws when nobody may work in its directory any more. */
  checkDirectory(session: Session): void;
  findEngine(name: string): Engine;
  isTraced(sessionId: string): boolean;
  /** Brings in what was said elsewhere, so that it stands before what is said now. */
  prepare(sessionId: string): Promise<void>;
  /** Throws when a model could not be given what a message holds. */
  checkContent(model: string, content: Content): void;
}

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(deps: TurnDeps) {
  const { approvals, questions, prices, findEngine } = deps;
  const { lifecycle, isAwaiting, endAgents, reopenAgent } = deps.agents;
  /** Turns whose end the disk refuses to store. */
  const unstored = new Set<string>();
  const endTurn = createTurnEnd({ ...deps, lifecycle, unstored });
  const directCalls = createDirectCalls({ ...deps, endTurn });
  const engineSessions = createEngineSessions(deps);
  const runTurn = createTurnRun({
    ...deps,
    lifecycle,
    engineSessions,
    endTurn,
    isWaiting: ({ id, sessionId }) =>
      approvals.isWaiting(id) || questions.isWaiting(id) || isAwaiting(sessionId),
    openHost: (scope) => createTurnHost({ ...deps, engine: findEngine(scope.session.engine) }, scope),
    openGate: (scope) => createSpendGate({ questions, prices }, scope),
  });
  const queue = createTurnQueue({ ...deps, runTurn, unstored, endAgents, reopenAgent });

  return {
    ...queue,
    directCalls,
    engineSessions,
    /** Something is under way that a stop would cut off. */
    isBusy: () => queue.isBusy() || directCalls.isBusy(),
    /** After a start: ends or resumes what the last run left behind. */
    recover: () => recover({ ...deps, endTurn, waits: deps.toolbox.waits, wake: queue.wake }),
    /** Ends turns and calls. The engines close later, once nobody else needs them. */
    close: async () => void (await Promise.all([queue.close(), directCalls.close()])),
  };
}
