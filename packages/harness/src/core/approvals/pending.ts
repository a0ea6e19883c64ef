// What waits for a person, approvals and questions alike: who waits for its end, the clock that ends or parks it, and the
// time a restart gives back. How each kind ends is its own affair.
import {
  type Actor,
  type AskedFilter,
  type Config,
  type Store,
  type StoreReads,
  type StoreWrites,
  ToolyardError,
} from '@toolyard/sdk';
import type { Clock, Logger } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';

const maxTimerMs = 2 ** 31 - 1;
const retryDelayMs = 1_000;

interface PendingRow {
  id: string;
  sessionId: string;
  turnId: string;
  state: string;
  expiresAt: string | null;
  unattended?: 'deny' | 'park' | undefined;
  decidedBy?: Actor | undefined;
  decidedAt?: string | undefined;
}

interface Waiter<T> {
  turnId: string;
  settle(row: T): void;
}

type WaitingTurn = Pick<PendingRow, 'sessionId' | 'turnId'>;

/** One kind of what waits, as it is kept. */
export interface PendingKind<T extends PendingRow> {
  name: 'approval' | 'question';
  read(from: StoreReads, id: string): Promise<T | undefined>;
  list(from: StoreReads, filter: AskedFilter<'pending'>): Promise<T[]>;
  put(tx: StoreWrites, row: T): Promise<void>;
  /** Ends it unanswered, durably. Throws `already_answered`. */
  expire(row: T): Promise<unknown>;
  /** What it is about, as the subject of a sentence. */
  describe(row: T): string;
}

export interface PendingDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  /** Does what is nothing but waiting, without holding up others. */
  waitWithoutSlot<W>(sessionId: string, work: () => Promise<W>): Promise<W>;
}

export function createPending<T extends PendingRow>(
  { store, log, clock, logger, waitWithoutSlot }: PendingDeps,
  kind: PendingKind<T>,
) {
  /** By what they wait for: several turns may wait for one answer. */
  const waiting = new Map<string, Set<Waiter<T>>>();
  const timers = new Map<string, NodeJS.Timeout>();

  async function get(id: string, from: StoreReads = store.reads): Promise<T> {
    const found = await kind.read(from, id);
    if (found) return found;
    throw new ToolyardError(`${kind.name}_not_found`, `There is no ${kind.name} ${id.slice(0, 60)}.`);
  }

  async function requirePending(tx: StoreWrites, id: string): Promise<T> {
    const row = await get(id, tx);
    if (row.state === 'pending') return row;
    const { state, decidedBy, decidedAt } = row;
    const who = decidedBy ? ` by ${decidedBy.kind} ${decidedBy.id} via ${decidedBy.via}` : '';
    const data = { state, ...(decidedBy && { decidedBy }), ...(decidedAt && { decidedAt }) };
    const message = `${kind.describe(row)} was already ${state}${who} at ${decidedAt}.`;
    throw new ToolyardError('already_answered', message, { data });
  }

  function announce(row: T): void {
    clearTimeout(timers.get(row.id));
    timers.delete(row.id);
    for (const { settle } of waiting.get(row.id) ?? []) settle(row);
    waiting.delete(row.id);
  }

  function forget(id: string, waiter: Waiter<T>): void {
    const left = waiting.get(id);
    left?.delete(waiter);
    if (left?.size === 0) waiting.delete(id);
  }

  function watch(row: T): void {
    if (row.expiresAt === null) return;
    setTimer(row, Math.min(Math.max(0, Date.parse(row.expiresAt) - clock.now()), maxTimerMs));
  }

  function setTimer(row: T, afterMs: number): void {
    timers.set(
      row.id,
      setTimeout(() => void onTimeout(row), afterMs),
    );
  }

  /** Nobody has answered in time. */
  async function onTimeout(row: T): Promise<void> {
    try {
      await (row.unattended === 'park' ? park(row) : kind.expire(row));
    } catch (thrown) {
      // Somebody was quicker, or it is gone with its session.
      const over = ['already_answered', `${kind.name}_not_found`];
      if (thrown instanceof ToolyardError && over.includes(thrown.code)) return;
      logger.warn(`could not expire: ${kind.name}`, { cause: thrown, id: row.id });
      setTimer(row, retryDelayMs);
    }
  }

  /** It waits on, and its clock no longer says anything. */
  async function park({ id, sessionId }: T): Promise<void> {
    await log.commit(sessionId, async (tx) =>
      kind.put(tx, { ...(await requirePending(tx, id)), expiresAt: null }),
    );
    timers.delete(id);
  }

  return {
    get,
    requirePending,
    announce,

    /** Until when what is asked now waits, and what happens then. */
    terms: ({ toolApproval: { approvalTimeout, unattended } }: Config) => ({
      expiresAt: new Date(clock.now() + approvalTimeout).toISOString(),
      unattended,
    }),

    /** Waits until it has ended. An abort does not end it; whoever aborts must cancel it. `by`: the turn that waits. */
    async settled(row: T, signal: AbortSignal, by: WaitingTurn = row): Promise<T> {
      const { promise, resolve: settle } = Promise.withResolvers<T>();
      const cancelled = { ...row, state: 'cancelled' };
      const waiter = { turnId: by.turnId, settle };
      waiting.set(row.id, (waiting.get(row.id) ?? new Set()).add(waiter));
      if (!timers.has(row.id)) watch(row);
      const onAbort = () => settle(cancelled);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        // It may have ended before we began to listen.
        const current = (await kind.read(store.reads, row.id)) ?? row;
        if (current.state !== 'pending') return current;
        return signal.aborted ? cancelled : await waitWithoutSlot(by.sessionId, () => promise);
      } finally {
        signal.removeEventListener('abort', onAbort);
        forget(row.id, waiter);
      }
    },

    isWaiting: (turnId: string): boolean =>
      [...waiting.values()].some((waiters) => [...waiters].some((each) => each.turnId === turnId)),

    /** After a start: gives back the time that the server was down, and counts on. */
    async recover(): Promise<void> {
      const downMs = store.lastAliveAt === undefined ? 0 : Math.max(0, clock.now() - store.lastAliveAt);
      for (const row of await kind.list(store.reads, { state: 'pending', limit: 100_000 })) {
        const expiresAt = row.expiresAt && new Date(Date.parse(row.expiresAt) + downMs).toISOString();
        const shifted = { ...row, expiresAt };
        await store.commit((tx) => kind.put(tx, shifted));
        watch(shifted);
      }
    },

    close(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
