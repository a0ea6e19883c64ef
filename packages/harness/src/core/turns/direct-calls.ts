// Tool calls that no engine makes: an MCP client's, a person's. Each is a turn of its own, in a session made for such
// calls or beside the turns of a conversation, so that policy, approvals, evidence and the log treat it like any other.
import {
  type Actor,
  type Approval,
  type Config,
  type Progress,
  pause,
  type Role,
  type Session,
  type StoreWrites,
  type ToolCall,
  type ToolOutcome,
  type Turn,
  type TurnOutcome,
  toFailure,
} from '@toolyard/sdk';
import type { AncestorRoles } from '../access/access.ts';
import { nothingSpent } from '../budget/turn-spending.ts';
import type { Toolbox } from '../calls/toolbox.ts';
import { toCaller } from '../identity/callers.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import { formatCause, type Redact } from '../operator-log/redact.ts';
import { callCutOff, directContent, directEngine, directSeq } from '../session-records/direct-turns.ts';
import type { Direct } from '../session-records/session-records.ts';
import type { EndTurn } from './turn-end.ts';

export function directFor(actor: Actor): Direct {
  return { engine: directEngine, caller: toCaller(actor) };
}

export interface DirectCallDeps {
  log: Log;
  toolbox: Toolbox;
  endTurn: EndTurn;
  newId: NewId;
  clock: Clock;
  redact: Redact;
  /** Throws when nobody may work in its directory any more. */
  checkDirectory(session: Session): void;
}

export interface DirectCall {
  session: Session;
  role: Role;
  config: Config;
  /** Those that have drafted the session's agent. */
  ancestorRoles?: AncestorRoles;
  tool: string;
  input: unknown;
  /** The caller's own name for the call. */
  toolCallId?: string;
  actor: Actor;
  /** Its session was made for it. */
  isAlone?: boolean;
  signal: AbortSignal;
  onProgress?: (report: Progress) => void;
  onApproval?: (approval: Approval) => void;
  /** Hears why the tool broke: for a person, never for a model. */
  onBroken?: (cause: string) => void;
}

export type CallDirectly = (call: DirectCall) => Promise<ToolOutcome>;

export interface DirectCalls {
  call: CallDirectly;
  isBusy(): boolean;
  /** Stops what an actor has under way, questions included, and whatever it would still begin. */
  stopOf(actorId: string): void;
  /** Stops what is under way in a session, and waits until the ends are written or for a moment. */
  stopIn(sessionId: string): Promise<void>;
  /** Stops all, and waits until their ends are written or for a moment. Whatever would still begin is refused. */
  close(): Promise<void>;
}

/** How long calls may take to stop when the server does. */
const stopTimeoutMs = 3_000;

export function createDirectCalls({
  log,
  toolbox,
  endTurn,
  newId,
  clock,
  redact,
  checkDirectory,
}: DirectCallDeps): DirectCalls {
  /** How many calls each session has. */
  const underWay = new Map<string, number>();
  const stops = createStops();
  /** Calls that are under way, and ends that are being written. */
  const unfinished = new Map<Promise<unknown>, string>();

  const call: CallDirectly = (asked) => {
    const outcome = run(asked);
    finish(outcome, asked.session.id);
    return outcome;
  };

  function finish(work: Promise<unknown>, sessionId: string): void {
    unfinished.set(work, sessionId);
    const forget = () => void unfinished.delete(work);
    work.then(forget, forget);
  }

  const run: CallDirectly = async (asked) => {
    const { session, role, config, ancestorRoles, tool, input, actor, onProgress, onApproval, onBroken } =
      asked;
    checkDirectory(session);
    const turn = openTurn(session);
    const callId = asked.toolCallId ?? `call_${turn.id.slice(4)}`;
    const stop = stops.open(actor.id, session.id);
    const signal = AbortSignal.any([asked.signal, stop.signal]);
    let open = true;
    begin(turn, session, { id: callId, name: tool, input });
    const scope = {
      session,
      role,
      config,
      ancestorRoles,
      actor,
      turnId: turn.id,
      signal,
      isOpen: () => open,
      ...(asked.isAlone && { isAlone: true }),
      ...(onProgress && { onProgress }),
      ...(onApproval && { onApproval }),
      ...(onBroken && { onBroken: (thrown: unknown) => onBroken(formatCause(thrown, redact)) }),
    };
    underWay.set(session.id, (underWay.get(session.id) ?? 0) + 1);
    try {
      const outcome = await toolbox.call({ id: callId, name: tool, input }, scope);
      open = false;
      const isLast = finishCall(session.id);
      if (signal.aborted) finish(endTurn(turn, stops.toOutcome(), nothingSpent), session.id);
      else if (session.engine === directEngine) complete(turn, isLast);
      // In a conversation others may be at work, and only its own commit sees whether they are.
      else finish(endTurn(turn, { outcome: 'completed' }, nothingSpent), session.id);
      return outcome;
    } catch (thrown) {
      open = false;
      finishCall(session.id);
      finish(endTurn(turn, { outcome: 'failed', error: toFailure(thrown) }, nothingSpent), session.id);
      throw thrown;
    } finally {
      stops.close(stop);
    }
  };

  async function settle(isIncluded: (sessionId: string) => boolean): Promise<void> {
    const settled = new AbortController();
    const included = () =>
      [...unfinished].flatMap(([work, sessionId]) => (isIncluded(sessionId) ? [work] : []));
    const wait = async () => {
      // The end of a call is written after its outcome is known.
      for (let left = included(); left.length > 0; left = included()) await Promise.allSettled(left);
      settled.abort();
    };
    void wait();
    await pause(stopTimeoutMs, settled.signal);
  }

  return {
    call,
    isBusy: () => underWay.size > 0,
    stopOf: stops.stopOf,
    async stopIn(sessionId) {
      stops.stopIn(sessionId);
      await settle((id) => id === sessionId);
    },
    async close() {
      stops.stopAll();
      await settle(() => true);
    },
  };

  function begin(turn: Turn, session: Session, { id: toolCallId, name: tool, input }: ToolCall): void {
    const { id: turnId, sessionId } = turn;
    log
      .defer(async (tx) => {
        await tx.insertTurn(turn);
        if (session.engine !== directEngine) await markRunning(tx, turn);
      }, sessionId)
      .catch(() => {});
    void log.emit(sessionId, { type: 'turn_start', data: { turnId, toolCallId } });
    void log.emit(sessionId, { type: 'tool_call_start', data: { toolCallId, tool } });
    void log.emit(sessionId, { type: 'tool_call_end', data: { toolCallId, input } });
  }

  /** Whether no other call is under way in the session. */
  function finishCall(sessionId: string): boolean {
    const others = (underWay.get(sessionId) ?? 1) - 1;
    if (others > 0) underWay.set(sessionId, others);
    else underWay.delete(sessionId);
    return others === 0;
  }

  /** What the caller needs is durable already and nothing is open: the turn's own end rides with the next commit. */
  function complete({ id, sessionId }: Turn, isLast: boolean): void {
    const at = new Date(clock.now()).toISOString();
    const end = { turnId: id, outcome: 'completed', costUsd: 0 } as const;
    void log.emit(sessionId, { type: 'turn_end', data: end });
    if (isLast) void log.emit(sessionId, { type: 'session_status', data: { status: 'idle' } });
    log
      .defer(async (tx) => {
        await tx.updateTurn(id, { state: 'completed', costUsd: 0, endedAt: at });
        await tx.updateSession(sessionId, { updatedAt: at, ...(isLast && { status: 'idle' }) });
      }, sessionId)
      .catch(() => {});
  }

  function openTurn(session: Session): Turn {
    const id = newId('trn');
    const at = new Date(clock.now()).toISOString();
    const turn = {
      id,
      originTurnId: id,
      sessionId: session.id,
      state: 'running',
      content: directContent,
      seq: directSeq,
    } as const;
    return { ...turn, costUsd: 0, createdAt: at, startedAt: at };
  }
}

/** A conversation in which nothing else goes on is at work while a call beside it is. */
async function markRunning(tx: StoreWrites, { sessionId, createdAt: at }: Turn): Promise<void> {
  if ((await tx.session(sessionId))?.status !== 'idle') return;
  await tx.updateSession(sessionId, { status: 'running' });
  await tx.append([{ sessionId, at, type: 'session_status', data: { status: 'running' } }]);
}

/** What stops calls: of an actor whose token was revoked, in a session that is deleted, or all. */
function createStops() {
  const open = new Map<AbortController, { actorId: string; sessionId: string }>();
  // A request that was let in before may begin its call after; ids are never given twice.
  const stopped = new Set<string>();
  let closed = false;
  return {
    open(actorId: string, sessionId: string): AbortController {
      const stop = new AbortController();
      if (closed || stopped.has(actorId)) stop.abort();
      open.set(stop, { actorId, sessionId });
      return stop;
    },
    close: (stop: AbortController) => void open.delete(stop),
    stopOf(actorId: string): void {
      stopped.add(actorId);
      for (const [stop, of] of open) if (of.actorId === actorId) stop.abort();
    },
    stopIn(sessionId: string): void {
      for (const [stop, of] of open) if (of.sessionId === sessionId) stop.abort();
    },
    /** How the turn of a call that was stopped ends. */
    toOutcome: (): TurnOutcome =>
      closed ? { outcome: 'failed', error: callCutOff } : { outcome: 'interrupted' },
    stopAll(): void {
      closed = true;
      for (const stop of open.keys()) stop.abort();
    },
  };
}
