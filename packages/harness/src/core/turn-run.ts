// Drives one turn: starts it, lends the engine its host, and maps whatever comes back to an outcome. Never rejects.
import {
  addCost,
  type Config,
  type Role,
  type Session,
  type Store,
  type ToolOutcome,
  ToolyardError,
  type Turn,
  type TurnInput,
  type TurnOutcome,
  toFailure,
} from '@toolyard/sdk';
import type { Approvals } from './approvals.ts';
import type { EngineSessions } from './engine-sessions.ts';
import type { Log } from './log.ts';
import type { Clock, Logger, Reach } from './ports.ts';
import type { Roles } from './roles.ts';
import { settleWithin, stillRunning } from './settle-within.ts';
import type { Toolbox } from './toolbox.ts';
import { costSoFar } from './turn-cost.ts';
import type { EndTurn } from './turn-end.ts';
import type { TurnHost } from './turn-host.ts';

/** An engine that has not stopped this long after an interrupt is left behind. */
const stopWithinMs = 4_000;

export interface TurnRunDeps {
  store: Store;
  log: Log;
  roles: Roles;
  configs: { for(workspace: string): Promise<Config> };
  toolbox: Toolbox;
  approvals: Approvals;
  engineSessions: EngineSessions;
  openHost(scope: TurnScope): TurnHost;
  endTurn: EndTurn;
  clock: Clock;
  logger: Logger;
  reach: Reach;
}

export interface TurnScope {
  session: Session;
  role: Role;
  config: Config;
  turn: Turn;
  signal: AbortSignal;
}

/** Runs a turn to its recorded end: a queued one from its start, a running one from where a restart left it. */
export type RunTurn = (turn: Turn, signal: AbortSignal) => Promise<void>;

export function createTurnRun(deps: TurnRunDeps): RunTurn {
  const {
    store,
    log,
    roles,
    configs,
    toolbox,
    approvals,
    engineSessions,
    openHost,
    endTurn,
    clock,
    logger,
    reach,
  } = deps;

  function start(session: Session, turn: Turn): void {
    const at = new Date(clock.now()).toISOString();
    if (session.status !== 'running') {
      void log.emit(session.id, { type: 'session_status', data: { status: 'running' } });
    }
    void log.emit(session.id, { type: 'turn_start', data: { turnId: turn.id } });
    void log.defer(async (tx) => {
      await tx.updateTurn(turn.id, { state: 'running', startedAt: at });
      await tx.updateSession(session.id, { status: 'running', updatedAt: at });
    });
    reach('turn.started');
  }

  async function drive(scope: TurnScope, host: TurnHost): Promise<TurnOutcome> {
    const { session, turn, signal } = scope;
    try {
      const input = turn.state === 'running' ? await settleCalls(scope) : await toInput(store, turn);
      if (signal.aborted) return toAborted(signal, stillRunning);
      const engine = await engineSessions.take(session, scope);
      const outcome = await settleWithin(engine.prompt(input, host), signal, stopWithinMs);
      if (outcome === stillRunning || isStorageFailure(signal.reason)) engineSessions.discard(session.id);
      else engineSessions.release(session.id);
      return outcome === stillRunning || signal.aborted ? toAborted(signal, outcome) : outcome;
    } catch (thrown) {
      engineSessions.discard(session.id);
      logger.error('an engine broke', { cause: thrown, sessionId: session.id, turnId: turn.id });
      return { outcome: 'failed', error: toFailure(thrown) };
    }
  }

  /** After a restart: what waited for a person waits on, what was allowed runs once, what had started is unknown. */
  async function settleCalls({ session, role, config, turn, signal }: TurnScope): Promise<TurnInput> {
    const rows = await store.reads.toolCalls(turn.id);
    const scope = { session, role, config, turnId: turn.id, signal, isOpen: () => true };
    return { kind: 'continue', settled: await Promise.all(rows.map((row) => toolbox.resume(row, scope))) };
  }

  /** Role and configuration as they are now: a turn sees what its person has said since the last one. */
  async function resolve({ role, workspace }: Session): Promise<{ role: Role; config: Config }> {
    return { role: await roles.find(role, workspace), config: await configs.for(workspace) };
  }

  /** Throws what makes the turn impossible: a role, an engine or a file that is gone or broken. */
  async function open(session: Session, turn: Turn, signal: AbortSignal) {
    const scope: TurnScope = { session, ...(await resolve(session)), turn, signal };
    return { scope, host: openHost(scope) };
  }

  return async (turn, signal) => {
    const session = await store.reads.session(turn.sessionId);
    if (!session) return;
    if (turn.state !== 'running') start(session, turn);
    const before = turn.state === 'running' ? await costSoFar(store, turn) : 0;
    const opened = await open(session, turn, signal).catch((thrown: unknown) => ({
      failure: toFailure(thrown),
    }));
    if ('failure' in opened) return endTurn(turn, { outcome: 'failed', error: opened.failure }, before);
    const { scope, host } = opened;
    // A turn that waits for a person is left as it is when the server stops; the next start goes on with it.
    let left = false;
    const leave = () => {
      if (!isRestart(signal.reason) || !approvals.isWaiting(turn.id)) return;
      left = true;
      host.seal();
    };
    signal.addEventListener('abort', leave, { once: true });
    const outcome = await drive(scope, host);
    host.seal();
    if (left) return engineSessions.discard(session.id);
    await endTurn(turn, outcome, addCost(before, host.cost()));
    reach('turn.ended');
  };
}

/** A retry goes on from the last checkpoint, with the results it may be missing; a first attempt sends the message. */
async function toInput({ reads }: Store, turn: Turn): Promise<TurnInput> {
  if (!turn.retryOf || !(await reads.hasEntries(turn.originTurnId)))
    return { kind: 'message', content: turn.content };
  const settled: ToolOutcome[] = [];
  // Newest first. An attempt that broke off at once has stored nothing of what the one before it had settled.
  for (let attempt: string | undefined = turn.retryOf; attempt; ) {
    settled.push(...(await reads.toolCalls(attempt)).flatMap((row) => row.result ?? []));
    attempt = (await reads.turn(attempt))?.retryOf;
  }
  return { kind: 'continue', settled };
}

/** What an aborted turn ended with: a person's interrupt is no failure, everything else names its cause. */
function toAborted(signal: AbortSignal, outcome: TurnOutcome | typeof stillRunning): TurnOutcome {
  if (outcome !== stillRunning && outcome.outcome === 'completed') return outcome;
  const reason: unknown = signal.reason;
  if (reason instanceof ToolyardError && reason.code === 'interrupted') return { outcome: 'interrupted' };
  return { outcome: 'failed', error: toFailure(reason) };
}

function isStorageFailure(reason: unknown): boolean {
  return reason instanceof ToolyardError && reason.code === 'storage_failed';
}

function isRestart(reason: unknown): boolean {
  return reason instanceof ToolyardError && reason.code === 'restarted';
}
