// Approvals: durable questions to a person about one call. Answered once, from anywhere; they survive a restart, and
// their clock stands still while the server is down.
import {
  type Actor,
  type AnswerApproval,
  type Approval,
  type ApprovalState,
  type AskedFilter,
  type Config,
  type Store,
  type StoreWrites,
  ToolyardError,
} from '@toolyard/sdk';
import type { Append, Log } from './log.ts';
import { outranksGrants } from './policy.ts';
import type { Clock, Logger, Reach } from './ports.ts';

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
  reach: Reach;
}

const longestTimerMs = 2 ** 31 - 1;

export type Approvals = ReturnType<typeof createApprovals>;

export function createApprovals({ store, log, clock, logger, reach, onResolved }: ApprovalDeps) {
  const waiting = new Map<string, { turnId: string; settle: (approval: Approval) => void }>();
  const timers = new Map<string, NodeJS.Timeout>();
  const now = () => new Date(clock.now()).toISOString();

  /** Moves a pending approval to its end, in one commit. Refuses one that has ended. */
  async function resolve(id: string, end: Partial<Approval> & { state: ApprovalState }): Promise<Approval> {
    const sessionId = (await store.reads.approval(id))?.sessionId ?? refuseUnknown(id);
    const resolved = await log.commit(sessionId, async (tx, append) => {
      const approval = requirePending((await tx.approval(id)) ?? refuseUnknown(id));
      return resolveIn(tx, append, approval, toUseful(approval, end));
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
    await append({
      type: 'approval_resolved',
      data: { approvalId, state, ...(scope && { scope }), ...(decidedBy && { decidedBy }) },
    });
    await onResolved(tx, append, resolved);
    return resolved;
  }

  /** The same call, asked again before the first was answered: one answer was meant for all of them. */
  async function allowSiblings({ id, sessionId, tool, grantKey, schemaHash }: Approval): Promise<void> {
    const byGrant: Actor = { kind: 'system', id: 'toolyard', via: `the grant of ${id}` };
    const waitingToo = await store.reads.approvals({ state: 'pending', sessionId, limit: 1_000 });
    for (const other of waitingToo) {
      if (other.tool !== tool || other.grantKey !== grantKey || other.schemaHash !== schemaHash) continue;
      if (outranksGrants(other.rule)) continue;
      // Somebody may have answered it in the meantime; then their answer stands.
      await resolve(other.id, { state: 'allowed', scope: 'once', decidedBy: byGrant }).catch(() => {});
    }
  }

  function announce(approval: Approval): void {
    clearTimeout(timers.get(approval.id));
    timers.delete(approval.id);
    waiting.get(approval.id)?.settle(approval);
    waiting.delete(approval.id);
  }

  function watch({ id, expiresAt, unattended }: Approval): void {
    if (expiresAt === null || unattended === 'park') return;
    const leftMs = Math.min(Math.max(0, Date.parse(expiresAt) - clock.now()), longestTimerMs);
    timers.set(
      id,
      setTimeout(() => void expire(id), leftMs),
    );
  }

  async function expire(id: string): Promise<void> {
    try {
      await resolve(id, { state: 'expired' });
    } catch (thrown) {
      if (thrown instanceof ToolyardError && thrown.code === 'already_answered') return;
      logger.warn('an approval could not expire yet', { cause: thrown, approvalId: id });
      timers.set(
        id,
        setTimeout(() => void expire(id), 1_000),
      );
    }
  }

  return {
    /** Until when an approval asked now waits, and what happens then. */
    terms: ({ toolApproval: { approvalTimeout, unattended } }: Config) => ({
      expiresAt: new Date(clock.now() + approvalTimeout).toISOString(),
      unattended,
    }),

    /** Inside the commit that records the call as asked. Throws `too_many_pending`. */
    async open(tx: StoreWrites, append: Append, approval: Approval, config: Config): Promise<void> {
      const { maxPending } = config.toolApproval;
      const { length } = await tx.approvals({
        state: 'pending',
        sessionId: approval.sessionId,
        limit: maxPending,
      });
      if (length >= maxPending) {
        throw new ToolyardError('too_many_pending', `${maxPending} approvals already wait in this session.`);
      }
      await tx.putApproval(approval);
      await append({ type: 'approval_required', data: { approval } });
    },

    /** Waits until the approval has ended. An abort does not end it; whoever aborts must cancel it. */
    async settled(approval: Approval, signal: AbortSignal): Promise<Approval> {
      const { promise, resolve: settle } = Promise.withResolvers<Approval>();
      waiting.set(approval.id, { turnId: approval.turnId, settle });
      if (!timers.has(approval.id)) watch(approval);
      const onAbort = () => settle({ ...approval, state: 'cancelled' });
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        // It may have ended before we began to listen.
        const current = (await store.reads.approval(approval.id)) ?? approval;
        if (current.state !== 'pending') return current;
        if (signal.aborted) return { ...approval, state: 'cancelled' };
        return await promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        waiting.delete(approval.id);
      }
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
      reach('approval.answered');
      if (resolved.state === 'allowed' && resolved.scope !== 'once') await allowSiblings(resolved);
      return resolved;
    },

    get: async (id: string): Promise<Approval> => (await store.reads.approval(id)) ?? refuseUnknown(id),
    list: (filter: AskedFilter<ApprovalState>): Promise<Approval[]> => store.reads.approvals(filter),

    /** Inside the commit that ends a turn: nothing of it may still be asked. `announce` them once it is durable. */
    async cancelOf(tx: StoreWrites, append: Append, turnId: string): Promise<Approval[]> {
      const pending = await tx.approvals({ state: 'pending', turnId, limit: 10_000 });
      const cancelled: Approval[] = [];
      for (const approval of pending)
        cancelled.push(await resolveIn(tx, append, approval, { state: 'cancelled' }));
      return cancelled;
    },
    announce,

    isWaiting: (turnId: string): boolean => [...waiting.values()].some((each) => each.turnId === turnId),

    /** After a start: gives back the time that the server was down, and counts on. */
    async recover(): Promise<void> {
      const pending = await store.reads.approvals({ state: 'pending', limit: 100_000 });
      const downMs = store.lastAliveAt === undefined ? 0 : Math.max(0, clock.now() - store.lastAliveAt);
      for (const approval of pending) {
        const expiresAt =
          approval.expiresAt && new Date(Date.parse(approval.expiresAt) + downMs).toISOString();
        const shifted = { ...approval, expiresAt };
        await store.commit((tx) => tx.putApproval(shifted));
        watch(shifted);
      }
    },

    close(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** A wider yes than once would be a grant that changes nothing where the person's configuration asks each time. */
function toUseful<T extends Partial<Approval>>({ rule }: Approval, end: T): T {
  return end.scope && outranksGrants(rule) ? { ...end, scope: 'once' } : end;
}

function requirePerson(actor: Actor): void {
  if (actor.kind === 'person') return;
  throw new ToolyardError('person_only', 'Only a person may answer. This token is an agent’s.');
}

function requirePending(approval: Approval): Approval {
  if (approval.state === 'pending') return approval;
  const { state, decidedBy, decidedAt, tool } = approval;
  const who = decidedBy ? ` by ${decidedBy.kind} ${decidedBy.id} via ${decidedBy.via}` : '';
  throw new ToolyardError(
    'already_answered',
    `The call of ${tool} was already ${state}${who} at ${decidedAt}.`,
    {
      data: { state, ...(decidedBy && { decidedBy }), ...(decidedAt && { decidedAt }) },
    },
  );
}

function refuseUnknown(id: string): never {
  throw new ToolyardError('approval_not_found', `There is no approval ${id.slice(0, 60)}.`);
}
