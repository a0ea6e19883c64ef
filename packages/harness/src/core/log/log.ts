// The log: the one way events reach the store, and the one way readers get them back. Deltas are merged and written
// in batches; everything pending goes to disk ahead of whatever is committed next, so order always holds.
import {
  type Event,
  type EventDraft,
  type LogDraft,
  type PlacedEvent,
  pause,
  type Store,
  type StoreWrites,
  ToolyardError,
  toFailure,
} from '@toolyard/sdk';
import type { Clock, Logger } from '../lib/ports.ts';
import { type Cursor, createReaders } from './feed.ts';

const flushIntervalMs = 12;
const retryFlushMs = 250;
const mergeUpToChars = 16_384;
const pendingCharsPerSession = 262_144;
/** Deleted sessions that are remembered: whoever still writes about one has not noticed yet. */
const maxDeleted = 10_000;
/** How long a stopping server tries to write what is pending. */
const closeTimeoutMs = 1_000;

export type Append = (...drafts: EventDraft[]) => Promise<Event[]>;
type Write = (tx: StoreWrites) => Promise<void>;

export interface Log {
  /** Adds an event soon. Returns a promise only when this session has too much waiting. */
  emit(sessionId: string, draft: EventDraft): Promise<void> | undefined;
  /** Writes rows soon, with the events around them. Resolves when durable. Rows of a session go with it when it does. */
  defer(write: Write, sessionId?: string): Promise<void>;
  /** Writes rows and events of one session durably, now, after all that is pending. */
  commit<T>(sessionId: string, write: (tx: StoreWrites, append: Append) => Promise<T>): Promise<T>;
  /**
   * As `commit`, for a write that deletes the session: what is still to be written about it is dropped, and its
   * readers come to an end.
   */
  remove<T>(sessionId: string, write: (tx: StoreWrites, append: Append) => Promise<T>): Promise<T>;
  /**
   * The log past `after`, then live. When `signal` aborts it ends at the last event there is: who stops a server wants
   * its readers to see the end; who leaves calls `return()`. Never buffers: it reads as fast as it is read.
   */
  read(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<readonly Event[]>;
  /** The same over all sessions, past a position: one session's events stand in their order. */
  readAll(after: number, signal: AbortSignal): AsyncGenerator<readonly PlacedEvent[]>;
  /** The log past `after` for who asks page by page; `onNews` says when it is worth asking again. */
  open(sessionId: string, after: number, onNews: () => void): Cursor<Event>;
  openAll(after: number, onNews: () => void): Cursor<PlacedEvent>;
  /** Hears that pending events of a session could not be written yet. They are kept and tried again. */
  onStuck(listener: (sessionId: string, error: ToolyardError) => void): void;
  /** Writes what was left to ride with the next commit, unless the disk refuses. */
  close(): Promise<void>;
}

/** Tells what comes after a batch whether the batch made it; without it, order would not hold. */
interface Ticket {
  stored: boolean;
}

interface Pending {
  drafts: LogDraft[];
  writes: { write: Write; done: () => void; sessionId: string | undefined }[];
  sessions: Map<string, { last: LogDraft; chars: number }>;
  /** Resolves when this batch is on disk. */
  flushed: PromiseWithResolvers<void>;
}

export function createLog({ store, clock, logger }: { store: Store; clock: Clock; logger: Logger }): Log {
  const deleted = createDeletedSessions();
  const { end, ...readers } = createReaders(store, deleted.has);
  const stuckListeners: ((sessionId: string, error: ToolyardError) => void)[] = [];
  let pending = emptyPending();
  /** Batches the store has not answered yet. */
  let underWay = 0;
  /** Batches it refused, oldest first. Until they are pending again, nothing younger may go ahead of them. */
  let refused: Pending[] = [];
  let mayRetry = true;
  let timer: NodeJS.Timeout | undefined;
  let lastFlush = 0;
  let lastTicket: Ticket = { stored: true };

  function schedule(delayMs = Math.max(0, flushIntervalMs - (performance.now() - lastFlush))): void {
    timer ??= setTimeout(flush, delayMs);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (refused.length > 0 || (pending.drafts.length === 0 && pending.writes.length === 0)) return;
    const batch = pending;
    const before = lastTicket;
    const ticket = { stored: false };
    pending = emptyPending();
    lastTicket = ticket;
    lastFlush = performance.now();
    underWay++;
    store
      .commit((tx) => writeBatch(tx, batch, { before, ticket, isDeleted: deleted.has }))
      .then(
        () => settle(batch),
        (error) => {
          ticket.stored = false;
          refused.push(batch);
          notifyStuck(batch, error);
        },
      )
      .then(() => {
        underWay--;
        if (underWay === 0 && refused.length > 0) requeueRefused();
      });
  }

  function notifyStuck(batch: Pending, error: ToolyardError): void {
    logger.warn('could not write events yet', { ...toFailure(error) });
    if (error.code === 'owner_lost' || error.code === 'shutting_down') mayRetry = false;
    for (const sessionId of batch.sessions.keys())
      for (const listener of stuckListeners) listener(sessionId, error);
  }

  /** What was refused becomes pending again, ahead of what came since, to be tried as one. */
  function requeueRefused(): void {
    pending = [...refused, pending].reduce(joinPending);
    refused = [];
    lastTicket = { stored: true };
    if (mayRetry) schedule(retryFlushMs);
  }

  function commit<T>(sessionId: string, write: (tx: StoreWrites, append: Append) => Promise<T>): Promise<T> {
    flush();
    const before = lastTicket;
    return store.commit(async (tx) => {
      requireStored(before);
      const at = new Date(clock.now()).toISOString();
      return write(tx, (...drafts) => tx.append(drafts.map((draft) => ({ ...draft, sessionId, at }))));
    });
  }

  const defer: Log['defer'] = (write, sessionId) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pending.writes.push({ write, done: resolve, sessionId });
    schedule();
    return promise;
  };

  return {
    emit(sessionId, draft) {
      // It would be tried for ever, and all that comes after it with it.
      if (!isJson(draft.data)) {
        logger.error('dropped an event: it cannot be written as JSON', { sessionId, type: draft.type });
        return undefined;
      }
      addDraft(pending, { ...draft, sessionId, at: new Date(clock.now()).toISOString() });
      schedule();
      return (pending.sessions.get(sessionId)?.chars ?? 0) > pendingCharsPerSession
        ? pending.flushed.promise
        : undefined;
    },
    defer,
    commit: (sessionId, write) =>
      commit(sessionId, (tx, append) => {
        deleted.refuse(sessionId);
        return write(tx, append);
      }),
    async remove(sessionId, write) {
      const removed = commit(sessionId, write);
      // What comes from here on is written later than the session is deleted.
      deleted.add(sessionId);
      try {
        return await removed;
      } catch (thrown) {
        deleted.delete(sessionId);
        throw thrown;
      } finally {
        if (deleted.has(sessionId)) end(sessionId);
      }
    },
    ...readers,
    onStuck: (listener) => void stuckListeners.push(listener),
    async close() {
      const flushed = new AbortController();
      void defer(async () => {}).then(() => flushed.abort());
      await pause(closeTimeoutMs, flushed.signal);
    },
  };
}

function createDeletedSessions() {
  const ids = new Set<string>();
  return {
    has: (id: string) => ids.has(id),
    delete: (id: string) => ids.delete(id),
    add(id: string): void {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > maxDeleted && oldest) ids.delete(oldest);
    },
    refuse(id: string): void {
      if (ids.has(id)) throw new ToolyardError('session_not_found', `The session ${id} was deleted.`);
    },
  };
}

function emptyPending(): Pending {
  return { drafts: [], writes: [], sessions: new Map(), flushed: Promise.withResolvers() };
}

function joinPending(first: Pending, next: Pending): Pending {
  for (const draft of next.drafts) addDraft(first, draft);
  first.writes.push(...next.writes);
  first.flushed.promise.then(next.flushed.resolve);
  return first;
}

async function writeBatch(
  tx: StoreWrites,
  batch: Pending,
  { before, ticket, isDeleted }: { before: Ticket; ticket: Ticket; isDeleted(sessionId: string): boolean },
): Promise<void> {
  ticket.stored = false;
  requireStored(before);
  const drafts = batch.drafts.filter(({ sessionId }) => !isDeleted(sessionId));
  if (drafts.length > 0) await tx.append(drafts);
  for (const { write, sessionId } of batch.writes) if (!sessionId || !isDeleted(sessionId)) await write(tx);
  ticket.stored = true;
}

function requireStored({ stored }: Ticket): void {
  if (!stored) throw new ToolyardError('storage_failed', 'Earlier events are not stored yet.');
}

function settle(batch: Pending): void {
  for (const { done } of batch.writes) done();
  batch.flushed.resolve();
}

function addDraft(to: Pending, draft: LogDraft): void {
  const session = to.sessions.get(draft.sessionId);
  const chars = (session?.chars ?? 0) + charsOf(draft);
  const merged = session && merge(session.last, draft);
  if (merged) Object.assign(session.last, merged);
  else to.drafts.push(draft);
  to.sessions.set(draft.sessionId, { last: merged ? session.last : draft, chars });
}

export function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function charsOf({ type, data }: EventDraft): number {
  if (type === 'text_delta' || type === 'thinking_delta') return data.text.length;
  return type === 'tool_call_delta' ? data.delta.length : 200;
}

/** Two deltas of the same stream become one, up to a size. */
function merge(last: EventDraft, next: EventDraft): EventDraft | undefined {
  if (charsOf(last) + charsOf(next) > mergeUpToChars) return undefined;
  if (last.type === 'text_delta' && next.type === 'text_delta') {
    return { type: 'text_delta', data: { text: last.data.text + next.data.text } };
  }
  if (last.type === 'thinking_delta' && next.type === 'thinking_delta') {
    return { type: 'thinking_delta', data: { text: last.data.text + next.data.text } };
  }
  if (last.type !== 'tool_call_delta' || next.type !== 'tool_call_delta') return undefined;
  const { toolCallId, delta } = last.data;
  if (toolCallId !== next.data.toolCallId) return undefined;
  return { type: 'tool_call_delta', data: { toolCallId, delta: delta + next.data.delta } };
}
