// Drives one turn: starts it, lends the engine its host, and maps whatever comes back to an outcome. Never rejects.
import {
  type Session,
  type Store,
  type ToolOutcome,
  ToolyardError,
  type Turn,
  type TurnInput,
  type TurnOutcome,
  toFailure,
} from '@toolyard/sdk';
import type { EngineSessions } from './engine-sessions.ts';
import type { Log } from './log.ts';
import type { Clock, Logger, Reach } from './ports.ts';
import { settleWithin, stillRunning } from './settle-within.ts';
import type { EndTurn } from './turn-end.ts';
import type { TurnHost } from './turn-host.ts';

/** An engine that has not stopped this long after an interrupt is left behind. */
const stopWithinMs = 4_000;

export interface TurnRunDeps {
  store: Store;
  log: Log;
  engineSessions: EngineSessions;
  openHost(scope: { session: Session; turn: Turn; signal: AbortSignal }): TurnHost;
  endTurn: EndTurn;
  clock: Clock;
  logger: Logger;
  reach: Reach;
}

/** Runs a queued turn to its recorded end. The signal's reason is the error the turn ends with. */
export type RunTurn = (turn: Turn, signal: AbortSignal) => Promise<void>;

export function createTurnRun(deps: TurnRunDeps): RunTurn {
  const { store, log, engineSessions, openHost, endTurn, clock, logger, reach } = deps;

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

  async function drive(session: Session, turn: Turn, host: TurnHost): Promise<TurnOutcome> {
    try {
      const engine = await engineSessions.take(session);
      const prompt = engine.prompt(await toInput(store, turn), host);
      const outcome = await settleWithin(prompt, host.signal, stopWithinMs);
      if (outcome === stillRunning || isStorageFailure(host.signal.reason))
        engineSessions.discard(session.id);
      else engineSessions.release(session.id);
      return outcome === stillRunning || host.signal.aborted ? toAborted(host.signal, outcome) : outcome;
    } catch (thrown) {
      engineSessions.discard(session.id);
      logger.error('an engine broke', { cause: thrown, sessionId: session.id, turnId: turn.id });
      return { outcome: 'failed', error: toFailure(thrown) };
    }
  }

  return async (turn, signal) => {
    const session = await store.reads.session(turn.sessionId);
    if (!session) return;
    start(session, turn);
    const host = openHost({ session, turn, signal });
    const outcome = await drive(session, turn, host);
    host.seal();
    await endTurn(turn, outcome, host.cost());
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
