// Approvals: durable questions to a person about one call. Answered once, from anywhere; they survive a restart, and
// their clock stands still while the server is down.
import {
  type Actor,
  type AnswerApproval,
  type Approval,
  type ApprovalState,
  type Config,
  type EventDraft,
  type Store,
  type StoreWrites,
  scopesOf,
  ToolyardError,
} from '@toolyard/sdk';
import { appendAtRoot } from '../agent-records/agent-records.ts';
import type { Clock, Logger, OnCrashPoint } from '../lib/ports.ts';
import type { Append, Log } from '../log/log.ts';
import { createPending, type PendingDeps } from './pending.ts';

/** What an answer sets in motion beside the approval itself, in the same commit. */
export interface ApprovalEffects {
  /** Called inside the commit that resolves an approval. */
  onResolved(tx: StoreWrites, append: Append, approval: Approval): Promise<void>;
}

export interface ApprovalDeps extends ApprovalEffects {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  onCrashPoint: OnCrashPoint;
  waitWithoutSlot: PendingDeps['waitWithoutSlot'];
}

export type Approvals = ReturnType<typeof createApprovals>;

export function createApprovals({
  store,
  log,
  clock,
  logger,
  onCrashPoint,
  onResolved,
  waitWithoutSlot,
}: ApprovalDeps) {
  const pending = createPending<Approval>(
    { store, log, clock, logger, waitWithoutSlot },
    {
      name: 'approval',
      read: (from, id) => from.approval(id),
      list: (from, filter) => from.approvals(filter),
      put: (tx, approval) => tx.putApproval(approval),
      expire: ({ id }) => resolve(id, { state: 'expired' }),
      describe: ({ tool }) => `The call of ${tool}`,
    },
  );
  const { get, requirePending, announce, settled, terms, isWaiting, recover, close } = pending;
  const now = () => new Date(clock.now()).toISOString();

  /** Moves a pending approval to its end, in one commit. Refuses one that has ended. */
  async function resolve(id: string, end: Partial<Approval> & { state: ApprovalState }): Promise<Approval> {
    const { sessionId } = await get(id);
    const resolved = await log.commit(sessionId, async (tx, append) => {
      const approval = await requirePending(tx, id);
      return resolveIn(tx, append, approval, clampScope(approval, end));
    });
    announce(resolved);
    return resolved;
  }

  async function resolveIn(
    tx: StoreWrites,
    append: Append,
    approval: Approval,
    end: Partial<Approval> & { state: ApprovalState },
  ): Promise<Approval> {
    const resolved: Approval = { ...approval, ...end, decidedAt: now() };
    const { id: approvalId, state, scope, decidedBy } = resolved;
    await tx.putApproval(resolved);
    const event: EventDraft = {
      type: 'approval_resolved',
      data: { approvalId, state, ...(scope && { scope }), ...(decidedBy && { decidedBy }) },
    };
    await append(event);
    await appendAtRoot(tx, approval, now(), event);
    await onResolved(tx, append, resolved);
    return resolved;
  }

  /** The same call, asked again before the first was answered: one answer was meant for all of them. */
  async function allowSiblings({ id, sessionId, tool, grantKey, schemaHash }: Approval): Promise<void> {
    const byGrant: Actor = { kind: 'system', id: 'toolyard', via: `the grant of ${id}` };
    const waitingToo = await store.reads.approvals({ state: 'pending', sessionId, limit: 1_000 });
    for (const other of waitingToo) {
      if (other.tool !== tool || other.grantKey !== grantKey || other.schemaHash !== schemaHash) continue;
      if (!scopesOf(other).includes('session')) continue;
      // Somebody may have answered it in the meantime; then their answer stands.
      await resolve(other.id, { state: 'allowed', scope: 'once', decidedBy: byGrant }).catch(() => {});
    }
  }

  return {
    get,
    terms,
    settled,
    announce,
    isWaiting,
    recover,
    close,

    /** Inside the commit that records the call as asked. Throws `too_many_pending`. */
    async open(tx: StoreWrites, append: Append, approval: Approval, config: Config): Promise<void> {
      const { maxPending } = config.toolApproval;
      const { approvals: waiting } = await tx.countPending(approval.sessionId);
      if (waiting >= maxPending) {
        throw new ToolyardError(
          'too_many_pending',
          `This session already has ${maxPending} pending approvals.`,
        );
      }
      await tx.putApproval(approval);
      const event: EventDraft = { type: 'approval_required', data: { approval } };
      await append(event);
      await appendAtRoot(tx, approval, now(), event);
    },

    async answer(
      id: string,
      { decision, scope = 'once', reason }: AnswerApproval,
      decidedBy: Actor,
    ): Promise<Approval> {
      requirePerson(decidedBy);
      const end =
        decision === 'allow' ? ({ state: 'allowed', scope } as const) : ({ state: 'denied' } as const);
      const resolved = await resolve(id, { ...end, decidedBy, ...(reason && { reason }) });
      onCrashPoint('approval.answered');
      if (resolved.state === 'allowed' && resolved.scope !== 'once') await allowSiblings(resolved);
      return resolved;
    },

    list: (filter: Parameters<Store['reads']['approvals']>[0]): Promise<Approval[]> =>
      store.reads.approvals(filter),

    /** Inside the commit that ends a turn: nothing of it may still be asked. `announce` them once it is durable. */
    async cancelOf(tx: StoreWrites, append: Append, turnId: string): Promise<Approval[]> {
      const cancelled: Approval[] = [];
      for (const approval of await tx.approvals({ state: 'pending', turnId, limit: 10_000 }))
        cancelled.push(await resolveIn(tx, append, approval, { state: 'cancelled' }));
      return cancelled;
    },
  };
}

/** A yes that would reach further than any grant for this call could is a yes to this call. */
function clampScope<T extends Partial<Approval>>(approval: Approval, end: T): T {
  return end.scope && !scopesOf(approval).includes(end.scope) ? { ...end, scope: 'once' } : end;
}

function requirePerson(actor: Actor): void {
  if (actor.kind === 'person') return;
  throw new ToolyardError('person_only', 'Only a person can answer. This token belongs to an agent.');
}
