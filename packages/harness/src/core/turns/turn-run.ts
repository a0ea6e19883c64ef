// Drives one turn: starts it, lends the engine its host, and maps whatever comes back to an outcome. Never rejects.
import {
  type Session,
  type SettledCall,
  type Store,
  type ToolCallRow,
  ToolyardError,
  type Turn,
  type TurnInput,
  type TurnOutcome,
  toFailure,
} from '@toolyard/sdk';
import type { ResolvedAgent } from '../access/resolved-agent.ts';
import type { AgentLifecycle, RunSlot } from '../agents/agent-lifecycle.ts';
import type { SpendGate, SpendGateScope } from '../agents/spend-gate.ts';
import { isLimit } from '../budget/run-limits.ts';
import { addSpent, nothingSpent, spentSoFar, stepsSoFar } from '../budget/turn-spending.ts';
import type { TurnMemory } from '../calls/decide.ts';
import type { Toolbox } from '../calls/toolbox.ts';
import { linkAbort } from '../lib/linked-abort.ts';
import type { Clock, Logger, OnCrashPoint } from '../lib/ports.ts';
import { settleWithin, stillRunning } from '../lib/settle-within.ts';
import { isRestart } from '../lib/stop-reasons.ts';
import type { Log } from '../log/log.ts';
import type { EngineSessions } from './engine-sessions.ts';
import type { EndTurn } from './turn-end.ts';
import type { TurnHost } from './turn-host.ts';

/** An engine that has not stopped this long after an interrupt is left behind. */
const stopTimeoutMs = 4_000;

export interface TurnRunDeps {
  store: Store;
  log: Log;
  /** As they are now: a turn sees what its person has said since the last one. */
  resolve(session: Session): Promise<ResolvedAgent>;
  /** Throws when nobody may work in its directory any more. */
  checkDirectory(session: Session): void;
  toolbox: Toolbox;
  /** Does the turn wait for a person, or for an agent? */
  isWaiting(turn: Turn): boolean;
  engineSessions: EngineSessions;
  openHost(scope: TurnScope): TurnHost;
  lifecycle: Pick<AgentLifecycle, 'acquireSlot' | 'ended'>;
  openGate(scope: SpendGateScope): SpendGate;
  endTurn: EndTurn;
  clock: Clock;
  logger: Logger;
  onCrashPoint: OnCrashPoint;
}

export interface TurnScope extends ResolvedAgent {
  session: Session;
  turn: Turn;
  signal: AbortSignal;
  /** Steps that it has made before a restart. */
  stepsBefore: number;
  gate: SpendGate;
  memory: TurnMemory;
}

/** Runs a turn to its recorded end: a queued one from its start, a running one from where a restart left it. */
export type RunTurn = (turn: Turn, signal: AbortSignal) => Promise<void>;

export function createTurnRun(deps: TurnRunDeps): RunTurn {
  const {
    store,
    log,
    resolve,
    toolbox,
    isWaiting,
    engineSessions,
    openHost,
    endTurn,
    clock,
    logger,
    onCrashPoint,
  } = deps;
  const { lifecycle, openGate } = deps;

  /** Turns of before a restart whose people have not all answered yet. */
  const settling = new Set<string>();

  function start(session: Session, turn: Turn): void {
    const at = new Date(clock.now()).toISOString();
    if (session.status !== 'running') {
      void log.emit(session.id, { type: 'session_status', data: { status: 'running' } });
    }
    void log.emit(session.id, { type: 'turn_start', data: { turnId: turn.id } });
    void log.defer(async (tx) => {
      await tx.updateTurn(turn.id, { state: 'running', startedAt: at });
      await tx.updateSession(session.id, { status: 'running', updatedAt: at });
    }, session.id);
    onCrashPoint('turn.started');
  }

  async function drive(scope: TurnScope, host: TurnHost): Promise<TurnOutcome> {
    const { session, turn, signal } = scope;
    try {
      const input = turn.state === 'running' ? await toRest(scope) : await toInput(store, turn);
      if (signal.aborted) return toAborted(signal, stillRunning);
      const reached = await host.begin();
      if (signal.aborted) return toAborted(signal, stillRunning);
      if (reached) return { outcome: 'limit', error: reached.toFailure() };
      const engine = await engineSessions.take(session, scope);
      const outcome = await settleWithin(engine.prompt(input, host), signal, stopTimeoutMs);
      // Whatever it still does with its model, nobody will hear what that has used.
      if (outcome === stillRunning)
        void host.emit({ type: 'usage', data: { inputTokens: 0, outputTokens: 0 } });
      if (outcome === stillRunning || isStorageFailure(signal.reason)) engineSessions.discard(session.id);
      else engineSessions.release(session.id);
      return outcome === stillRunning || signal.aborted ? toAborted(signal, outcome) : outcome;
    } catch (thrown) {
      engineSessions.discard(session.id);
      logger.error('an engine failed', { cause: thrown, sessionId: session.id, turnId: turn.id });
      return { outcome: 'failed', error: toFailure(thrown) };
    }
  }

  /** After a restart. A turn that has waited before its engine heard of it begins with its message. */
  async function toRest(scope: TurnScope): Promise<TurnInput> {
    const { id, originTurnId, retryOf } = scope.turn;
    const rows = await store.reads.toolCalls(id);
    const isUndelivered = rows.length === 0 && (retryOf || !(await store.reads.hasEntries(originTurnId)));
    const input = isUndelivered ? await toInput(store, scope.turn) : await settleCalls(scope, rows);
    settling.delete(id);
    return input;
  }

  /** What waited for a person waits on, what was allowed runs once, what had started is unknown. */
  async function settleCalls(turnScope: TurnScope, rows: readonly ToolCallRow[]): Promise<TurnInput> {
    const { session, turn, signal } = turnScope;
    const nativeTools = engineSessions.nativeTools(session);
    // A server that stops leaves what waits as it is.
    const isOpen = () => !isRestart(signal.reason);
    const scope = { ...turnScope, turnId: turn.id, nativeTools, isOpen };
    const settle = async (row: ToolCallRow) => ({ ...(await toolbox.resume(row, scope)), input: row.input });
    return { kind: 'continue', settled: await Promise.all(rows.map(settle)) };
  }

  /** Throws what makes the turn impossible: a role, an engine, a directory or a file that is gone or broken. */
  async function open(session: Session, turn: Turn, runSlot: RunSlot, stopSignal: AbortSignal) {
    deps.checkDirectory(session);
    const resolved = await resolve(session);
    const { account, timeUp } = await runSlot.open(resolved);
    const { signal, abort: stop, unlink } = linkAbort(timeUp ? [stopSignal, timeUp] : [stopSignal]);
    const gate = openGate({ account, session, config: resolved.config, turnId: turn.id, signal });
    const stepsBefore = turn.state === 'running' ? await stepsSoFar(store, turn) : 0;
    const memory: TurnMemory = { last: { key: '', count: 0 }, allowedBefore: new Map(), stop };
    const scope: TurnScope = { session, ...resolved, turn, signal, stepsBefore, gate, memory };
    return { scope, host: openHost(scope), unlink };
  }

  /** Waits until it may begin. Nothing: it was told to stop first, and is left to the next start if that is why. */
  async function acquireSlot(
    session: Session,
    turn: Turn,
    signal: AbortSignal,
  ): Promise<RunSlot | undefined> {
    try {
      const runSlot = await lifecycle.acquireSlot(session, turn, signal);
      if (runSlot || isRestart(signal.reason)) return runSlot;
      await endTurn(turn, toAborted(signal, stillRunning), nothingSpent);
    } catch (thrown) {
      // Whoever is told to stop while it makes its place ready is stopped, and has not failed.
      if (isRestart(signal.reason)) return undefined;
      const failed = { outcome: 'failed', error: toFailure(thrown) } as const;
      await endTurn(turn, signal.aborted ? toAborted(signal, stillRunning) : failed, nothingSpent);
    }
    lifecycle.ended(session, turn);
    return undefined;
  }

  return async (turn, signal) => {
    const session = await store.reads.session(turn.sessionId);
    if (!session) return;
    if (turn.state === 'running') settling.add(turn.id);
    const runSlot = await acquireSlot(session, turn, signal);
    if (!runSlot) return void settling.delete(turn.id);
    try {
      await run(session, turn, signal, runSlot);
    } finally {
      settling.delete(turn.id);
      runSlot.release();
      lifecycle.ended(session, turn);
    }
  };

  /** Whatever cannot be finished, the turn ends. */
  async function finish(runSlot: RunSlot, outcome: TurnOutcome, lastText: string): Promise<void> {
    await runSlot.finish(outcome, lastText).catch((cause: unknown) => {
      logger.error('could not finish the worktrees of a turn', { cause });
    });
  }

  async function run(session: Session, turn: Turn, stopSignal: AbortSignal, runSlot: RunSlot): Promise<void> {
    if (turn.state !== 'running') start(session, turn);
    const before = turn.state === 'running' ? await spentSoFar(store, turn) : nothingSpent;
    if (turn.state === 'running') await runSlot.resumeSpending(before.chargedUsd);
    const opened = await open(session, turn, runSlot, stopSignal).catch((thrown: unknown) => ({
      failure: toFailure(thrown),
    }));
    if ('failure' in opened) {
      const failed = { outcome: 'failed', error: opened.failure } as const;
      await finish(runSlot, failed, '');
      return endTurn(turn, failed, before);
    }
    const { scope, host, unlink } = opened;
    const { signal } = scope;
    // A turn that waits for a person is left as it is when the server stops; the next start goes on with it.
    let left = false;
    const release = () => {
      if (!isRestart(signal.reason) || !(settling.has(turn.id) || isWaiting(turn))) return;
      left = true;
      host.seal();
    };
    if (signal.aborted) release();
    else signal.addEventListener('abort', release, { once: true });
    const outcome = await drive(scope, host);
    settling.delete(turn.id);
    await host.decided();
    host.seal();
    unlink();
    if (left) return engineSessions.discard(session.id);
    await finish(runSlot, outcome, host.lastText());
    const spent = host.spent(outcome);
    scope.gate.close(spent.costUsd);
    await endTurn(turn, outcome, addSpent(before, spent));
    onCrashPoint('turn.ended');
  }
}

/** A retry goes on from the last checkpoint, with the results it may be missing; a first attempt sends the message. */
async function toInput({ reads }: Store, turn: Turn): Promise<TurnInput> {
  if (!turn.retryOf || !(await reads.hasEntries(turn.originTurnId)))
    return { kind: 'message', content: turn.content };
  const settled: SettledCall[] = [];
  // Newest first. An attempt that broke off at once has stored nothing of what the one before it had settled.
  for (let attempt: string | undefined = turn.retryOf; attempt; ) {
    const rows = await reads.toolCalls(attempt);
    settled.push(...rows.flatMap(({ result, input }) => (result ? { ...result, input } : [])));
    attempt = (await reads.turn(attempt))?.retryOf;
  }
  return { kind: 'continue', settled };
}

/** What an aborted turn ended with: a person's interrupt is no failure, everything else names its cause. */
function toAborted(signal: AbortSignal, outcome: TurnOutcome | typeof stillRunning): TurnOutcome {
  if (outcome !== stillRunning && outcome.outcome === 'completed') return outcome;
  const reason: unknown = signal.reason;
  if (reason instanceof ToolyardError && (reason.code === 'interrupted' || reason.code === 'killed'))
    return { outcome: 'interrupted' };
  if (isLimit(reason)) return { outcome: 'limit', error: reason.toFailure() };
  return { outcome: 'failed', error: toFailure(reason) };
}

function isStorageFailure(reason: unknown): boolean {
  return reason instanceof ToolyardError && reason.code === 'storage_failed';
}
