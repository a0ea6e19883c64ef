// The durable steps of a call's life: asked, started with its decision, ended with its evidence and event.
import type {
  Actor,
  Approval,
  AuditEntry,
  Config,
  EventDraft,
  Session,
  ToolCall,
  ToolCallRow,
  ToolOutcome,
} from '@toolyard/sdk';
import type { Approvals } from '../approvals/approvals.ts';
import { type Decisions, setStatus, system } from '../approvals/decisions.ts';
import { isExpired } from '../grants/grants.ts';
import type { Clock, OnCrashPoint } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import { toFailed } from './tool-run.ts';

export interface CallRecordDeps {
  log: Log;
  approvals: Approvals;
  decisions: Decisions;
  clock: Clock;
  onCrashPoint: OnCrashPoint;
}

export interface CallEnd {
  state: 'done' | 'failed' | 'unknown';
  result: ToolOutcome;
  /** The rule that refused a call which was never asked about. */
  denied?: string;
}

/** Where a call is recorded. */
export interface RecordScope {
  session: Session;
  turnId: string;
  /** Who called; the session's own agent unless somebody else did. */
  actor?: Actor;
  /** Whether the turn still goes on. Its end settles every call that is open then. */
  isOpen(): boolean;
}

export type CallRecord = ReturnType<typeof createCallRecord>;

export function createCallRecord({ log, approvals, decisions, clock, onCrashPoint }: CallRecordDeps) {
  const now = () => new Date(clock.now()).toISOString();

  /** The call's end: row, evidence and event together. A call that never started has a decision and no result. */
  async function end(
    row: ToolCallRow,
    { session, actor, isOpen }: RecordScope,
    { state, result, denied }: CallEnd,
  ): Promise<ToolOutcome> {
    await log.commit(session.id, async (tx, append) => {
      // Too late: the turn's end has said, or is about to say, that the outcome is unknown.
      if (!isOpen()) return;
      await tx.putToolCall({ ...row, state, result, endedAt: now() });
      const about = decisions.about(session, row);
      if (denied !== undefined) {
        await tx.appendAudit({ ...about, kind: 'decision', decision: 'deny', rule: denied, actor: system });
      } else if (row.state === 'started') {
        const agent = { kind: 'agent', id: session.id, via: session.engine } as const;
        await tx.appendAudit({ ...about, kind: 'result', outcome: state, actor: actor ?? agent });
      }
      await append(toResultEvent(result));
    });
    onCrashPoint('tool.recorded');
    return result;
  }

  return {
    /** The call waits for a person. Throws `too_many_pending`. */
    async ask(row: ToolCallRow, approval: Approval, config: Config): Promise<void> {
      await log.commit(row.sessionId, async (tx, append) => {
        await tx.putToolCall(row);
        await approvals.open(tx, append, approval, config);
        await setStatus(tx, append, row.sessionId, 'waiting');
      });
      onCrashPoint('tool.asked');
    },

    /**
     * The call starts. The decision is recorded with it, unless a person's answer was recorded before; with it ends
     * the call that it repeats, so that one yes is used once. Nothing starts by a grant that was taken back meanwhile.
     */
    async start(
      row: ToolCallRow,
      session: Session,
      by?: { rule: string; grantId?: string | undefined; effect: AuditEntry['effect'] },
      repeats?: ToolCallRow,
    ): Promise<ToolCallRow | undefined> {
      const started: ToolCallRow = { ...row, state: 'started', startedAt: now() };
      const isStarted = await log.commit(session.id, async (tx, append) => {
        const grant = by?.grantId && (await tx.grant(by.grantId));
        if (by?.grantId && (!grant || isExpired(grant, clock.now()))) return false;
        await tx.putToolCall(started);
        if (repeats) {
          const result = toRepeated(repeats, row.callId);
          await tx.putToolCall({ ...repeats, state: 'failed', result, endedAt: now() });
          await append(toResultEvent(result));
        }
        if (!by) return true;
        const { rule, grantId, effect } = by;
        const decision = { kind: 'decision', decision: 'allow', rule, actor: system, effect } as const;
        await tx.appendAudit({ ...decisions.about(session, row), ...decision, ...(grantId && { grantId }) });
        if (grant) {
          await tx.putGrant({ ...grant, uses: grant.uses + 1, lastUsedAt: now() });
          await append({
            type: 'grant_used',
            data: { toolCallId: row.callId, grantId: grant.id, scope: grant.scope },
          });
        }
        return true;
      });
      if (!isStarted) return undefined;
      onCrashPoint('tool.started');
      return started;
    },

    /** A call under the id of an earlier one: evidence and event, no row. */
    async repeated(result: ToolOutcome, { session, turnId, isOpen }: RecordScope): Promise<void> {
      await log.commit(session.id, async (tx, append) => {
        if (!isOpen()) return;
        const { toolCallId: callId, tool } = result;
        const about = decisions.about(session, { turnId, callId, tool, input: null });
        await tx.appendAudit({
          ...about,
          kind: 'decision',
          decision: 'deny',
          rule: 'its id was used before',
          actor: system,
        });
        await append(toResultEvent({ ...result, isError: true }));
      });
    },

    end,

    /** A call that is not run, with what its model reads. `rule` is absent when the decision is on record already. */
    deny: (row: ToolCallRow, scope: RecordScope, text: string, rule?: string): Promise<ToolOutcome> =>
      end(row, scope, {
        state: 'failed',
        result: toFailed(toCall(row), text),
        ...(rule && { denied: rule }),
      }),
  };
}

export function toCall({ callId, tool, input }: ToolCallRow): ToolCall {
  return { id: callId, name: tool, input };
}

function toRepeated({ callId, tool }: ToolCallRow, as: string): ToolOutcome {
  return { toolCallId: callId, tool, text: `Not run: it was repeated as ${as}.`, isError: true };
}

export function toResultEvent(result: ToolOutcome): EventDraft<'tool_result'> {
  const { toolCallId, isError, outcome, truncated, outputId } = result;
  const output = isError || truncated ? result.text : result.output;
  const cut = truncated && { truncated, ...(outputId && { outputId }) };
  return { type: 'tool_result', data: { toolCallId, output, isError, ...cut, ...(outcome && { outcome }) } };
}
