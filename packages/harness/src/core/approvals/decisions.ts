// What follows from a decision, written in the same commit: the call's state, a grant, the evidence, the session's
// status. A decision is recorded before the call it is about can start.
import type {
  Actor,
  Approval,
  ApprovalState,
  AuditEntry,
  Session,
  StoreWrites,
  ToolCallRow,
} from '@toolyard/sdk';
import { syncAgentStatus } from '../agent-records/agent-records.ts';
import { toLineage } from '../audit/audit-changes.ts';
import { toGrant } from '../grants/grants.ts';
import { toHash } from '../lib/canonical-json.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock } from '../lib/ports.ts';
import type { Append } from '../log/log.ts';
import type { Redact } from '../operator-log/redact.ts';

/** Whoever acts when no person does. */
export const system: Actor = { kind: 'system', id: 'toolyard', via: 'policy' };

export interface DecisionDeps {
  clock: Clock;
  newId: NewId;
  redact: Redact;
}

export type Decisions = ReturnType<typeof createDecisions>;

export function createDecisions({ clock, newId, redact }: DecisionDeps) {
  const now = () => new Date(clock.now()).toISOString();

  /** The part of an audit row that every row about a call shares. */
  function about(session: Session, row: Pick<ToolCallRow, 'turnId' | 'callId' | 'tool' | 'input'>) {
    return {
      at: now(),
      sessionId: session.id,
      turnId: row.turnId,
      toolCallId: row.callId,
      tool: row.tool,
      input: redact(row.input) ?? null,
      inputHash: toHash(row.input),
      costUsd: 0,
      lineage: toLineage(session),
    } satisfies Partial<AuditEntry>;
  }

  /** In the commit that resolves an approval. */
  async function resolved(tx: StoreWrites, append: Append, approval: Approval): Promise<void> {
    const { turnId, toolCallId, state, scope, rule, decidedBy = system, id: approvalId, effect } = approval;
    const session = await tx.session(approval.sessionId);
    const row = (await tx.toolCalls(turnId)).find(({ callId }) => callId === toolCallId);
    if (!session || !row) return;
    const entry: AuditEntry = {
      ...about(session, row),
      kind: 'decision',
      decision: toDecision(state),
      rule,
      actor: decidedBy,
      effect,
      approvalId,
    };
    await tx.appendAudit(entry);
    if (state === 'allowed') {
      await tx.putToolCall({ ...row, state: 'allowed' });
      if (scope === 'session' || scope === 'always')
        await tx.putGrant(
          toGrant(approval, session, { id: newId('grt'), scope, owner: decidedBy, atMs: clock.now() }),
        );
    }
    await resumeSession(tx, append, session.id);
  }

  return { about, resolved };
}

function toDecision(state: ApprovalState): NonNullable<AuditEntry['decision']> {
  if (state === 'allowed') return 'allow';
  if (state === 'expired' || state === 'cancelled') return state;
  return 'deny';
}

/** In a commit that settles what somebody was asked: once nobody is asked any more, the session goes on. */
export async function resumeSession(tx: StoreWrites, append: Append, sessionId: string): Promise<void> {
  const session = await tx.session(sessionId);
  if (session?.status !== 'waiting' || (await hasPending(tx, sessionId))) return;
  if (await isWaitingOnSharedQuestion(tx, sessionId)) return;
  const isAtWork = (await tx.openTurns(sessionId)).length > 0;
  await setStatus(tx, append, sessionId, isAtWork ? 'running' : 'idle');
}

/** Its turn may wait for an answer that another has asked for. */
async function isWaitingOnSharedQuestion(tx: StoreWrites, sessionId: string): Promise<boolean> {
  for (const { sharedBy = [] } of await tx.questions({ state: 'pending', limit: 10_000 }))
    for (const turnId of sharedBy) {
      const turn = await tx.turn(turnId);
      if (turn?.sessionId === sessionId && turn.state === 'running') return true;
    }
  return false;
}

export async function hasPending(tx: StoreWrites, sessionId: string): Promise<boolean> {
  const { approvals, questions } = await tx.countPending(sessionId);
  return approvals + questions > 0;
}

export async function setStatus(
  tx: StoreWrites,
  append: Append,
  sessionId: string,
  status: 'running' | 'waiting' | 'idle',
): Promise<void> {
  await tx.updateSession(sessionId, { status });
  const [event] = await append({ type: 'session_status', data: { status } });
  if (status !== 'idle') await syncAgentStatus(tx, sessionId, status, event?.at ?? '');
}
