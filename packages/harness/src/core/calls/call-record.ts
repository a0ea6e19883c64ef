// The durable steps of a call's life: asked, started with its decision, ended with its evidence and event.
import type {
  Actor,
  Approval,
  AuditEntry,
  Config,
  EventDraft,
  Session,
  ToolCallRow,
  ToolOutcome,
} from '@toolyard/sdk';
import type { Approvals } from '../approvals/approvals.ts';
import { type Decisions, setStatus, system } from '../approvals/decisions.ts';
import type { Clock, Reach } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Judgement } from './judge.ts';

export interface CallRecordDeps {
  log: Log;
  approvals: Approvals;
  decisions: Decisions;
  clock: Clock;
  reach: Reach;
}

export interface CallEnd {
  state: 'done' | 'failed' | 'unknown';
  result: ToolOutcome;
  /** The rule that refused a call which was never asked about. */
  denied?: string;
}

interface EndScope {
  session: Session;
  /** Who called; the session's own agent unless somebody else did. */
  actor?: Actor;
  isOpen(): boolean;
}

export function createCallRecord({ log, approvals, decisions, clock, reach }: CallRecordDeps) {
  const now = () => new Date(clock.now()).toISOString();

  return {
    /** The call waits for a person. Throws `too_many_pending`. */
    async ask(row: ToolCallRow, approval: Approval, config: Config): Promise<void> {
      await log.commit(row.sessionId, async (tx, append) => {
        await tx.putToolCall(row);
        await approvals.open(tx, append, approval, config);
        await setStatus(tx, append, row.sessionId, 'waiting');
      });
      reach('tool.asked');
    },

    /**
     * The call starts. The decision is recorded with it, unless a person's answer was recorded before; with it ends
     * the call that it repeats, so that one yes is used once. Nothing starts by a grant that was taken back meanwhile.
     */
    async start(
      row: ToolCallRow,
      session: Session,
      judged?: Judgement & { effect: AuditEntry['effect'] },
      repeats?: ToolCallRow,
    ): Promise<ToolCallRow | undefined> {
      const started: ToolCallRow = { ...row, state: 'started', startedAt: now() };
      const isStarted = await log.commit(session.id, async (tx, append) => {
        const grant = judged?.grantId && (await tx.grant(judged.grantId));
        if (judged?.grantId && (!grant || grant.expiresAt <= now())) return false;
        await tx.putToolCall(started);
        if (repeats) {
          const result = toRepeated(repeats, row.callId);
          await tx.putToolCall({ ...repeats, state: 'failed', result, endedAt: now() });
          await append(toResultEvent(result));
        }
        if (!judged) return true;
        const { rule, grantId, effect } = judged;
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
      reach('tool.started');
      return started;
    },

    /** A call under the id of an earlier one: evidence and event, no row. */
    async repeated(
      result: ToolOutcome,
      { session, turnId, isOpen }: EndScope & { turnId: string },
    ): Promise<void> {
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

    /** The call's end: row, evidence and event together. A call that never started has a decision and no result. */
    async end(
      row: ToolCallRow,
      { session, actor, isOpen }: EndScope,
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
      reach('tool.recorded');
      return result;
    },
  };
}

function toRepeated({ callId, tool }: ToolCallRow, as: string): ToolOutcome {
  return { toolCallId: callId, tool, text: `Not run itself: it was repeated as ${as}.`, isError: true };
}

export function toResultEvent(result: ToolOutcome): EventDraft<'tool_result'> {
  const { toolCallId, isError, outcome, truncated, outputId } = result;
  const output = isError || truncated ? result.text : result.output;
  const cut = truncated && { truncated, ...(outputId && { outputId }) };
  return { type: 'tool_result', data: { toolCallId, output, isError, ...cut, ...(outcome && { outcome }) } };
}
