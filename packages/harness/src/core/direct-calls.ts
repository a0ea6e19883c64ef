// Tool calls that no engine makes: an MCP client's, a person's. Each is a turn of its own in a session of its own, so
// that policy, approvals, evidence and the log treat it like any other call.
import {
  type Actor,
  type Approval,
  type Config,
  type Progress,
  type Role,
  type Session,
  type Store,
  type ToolOutcome,
  type Turn,
  toFailure,
} from '@toolyard/sdk';
import type { NewId } from './ids.ts';
import type { Log } from './log.ts';
import type { Clock } from './ports.ts';
import type { Toolbox } from './toolbox.ts';
import type { EndTurn } from './turn-end.ts';

/** The engine of a session in which nobody converses. */
export const directEngine = 'direct';

export interface DirectCallDeps {
  store: Store;
  log: Log;
  toolbox: Toolbox;
  endTurn: EndTurn;
  newId: NewId;
  clock: Clock;
}

export interface DirectCall {
  session: Session;
  role: Role;
  config: Config;
  tool: string;
  input: unknown;
  /** The caller's own name for the call. */
  toolCallId?: string;
  actor: Actor;
  signal: AbortSignal;
  onProgress?: (report: Progress) => void;
  onApproval?: (approval: Approval) => void;
}

export type CallDirectly = (call: DirectCall) => Promise<ToolOutcome>;

export interface DirectCalls {
  call: CallDirectly;
  isBusy(): boolean;
}

export function createDirectCalls({ log, toolbox, endTurn, newId, clock }: DirectCallDeps): DirectCalls {
  /** How many calls each session has. */
  const underWay = new Map<string, number>();

  const call: CallDirectly = async (asked) => {
    const { session, role, config, tool, input, toolCallId, actor, signal, onProgress, onApproval } = asked;
    const turn = openTurn(session);
    const callId = toolCallId ?? `call_${turn.id.slice(4)}`;
    let open = true;
    log.defer((tx) => tx.insertTurn(turn)).catch(() => {});
    void log.emit(session.id, { type: 'turn_start', data: { turnId: turn.id } });
    void log.emit(session.id, { type: 'tool_call_start', data: { toolCallId: callId, tool } });
    void log.emit(session.id, { type: 'tool_call_end', data: { toolCallId: callId, input } });
    const scope = {
      session,
      role,
      config,
      actor,
      turnId: turn.id,
      signal,
      isOpen: () => open,
      ...(onProgress && { onProgress }),
      ...(onApproval && { onApproval }),
    };
    underWay.set(session.id, (underWay.get(session.id) ?? 0) + 1);
    try {
      const outcome = await toolbox.call({ id: callId, name: tool, input }, scope);
      open = false;
      const isLast = leave(session.id);
      if (signal.aborted) void endTurn(turn, { outcome: 'interrupted' }, 0);
      else complete(turn, isLast);
      return outcome;
    } catch (thrown) {
      open = false;
      leave(session.id);
      void endTurn(turn, { outcome: 'failed', error: toFailure(thrown) }, 0);
      throw thrown;
    }
  };

  return { call, isBusy: () => underWay.size > 0 };

  /** Whether no other call is under way in the session. */
  function leave(sessionId: string): boolean {
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
      })
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
      content: 'direct',
      seq: 0,
    } as const;
    return { ...turn, costUsd: 0, createdAt: at, startedAt: at };
  }
}
