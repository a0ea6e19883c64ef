// The Store port: durable rows and the log. Every implementation passes testing/store-conformance.
import type { Checkpoint, Resume, ToolOutcome } from './engine.ts';
import type { Content } from './protocol/content.ts';
import type { Failure } from './protocol/error.ts';
import type { Event, EventDraft, TurnEnd } from './protocol/event.ts';
import type { Session } from './protocol/session.ts';

export interface Store {
  /** Sees only what is committed. */
  readonly reads: StoreReads;
  /**
   * Runs `write` in a durable transaction, in the order of the calls, and resolves after it is on disk. Neighbouring
   * writes may share one transaction, and `write` may run twice when a neighbour fails: it must only touch `tx`.
   * Rejects with `storage_failed` or `owner_lost` and leaves nothing behind.
   */
  commit<T>(write: (tx: StoreWrites) => Promise<T>): Promise<T>;
  /** Hears of new events after they are durable, in order. Must not throw. */
  onCommitted(listener: (events: readonly Event[]) => void): void;
  /** Waits for writes under way, gives up ownership and closes. */
  close(): Promise<void>;
}

export interface StoreReads {
  session(id: string): Promise<Session | undefined>;
  /** Newest first; `after` is the id of the last one already seen. */
  sessions(page: { limit: number; after?: string }): Promise<Session[]>;
  countSessions(cwd: string): Promise<number>;
  /** At most `limit` events past `after`, in order. A hole in the numbers is `database_corrupt`. */
  events(sessionId: string, after: number, limit: number): Promise<Event[]>;
  lastSeq(sessionId: string): Promise<number>;
  turn(id: string): Promise<Turn | undefined>;
  turnByKey(sessionId: string, idempotencyKey: string): Promise<Turn | undefined>;
  latestTurn(sessionId: string): Promise<Turn | undefined>;
  /** The session's oldest queued turn. */
  nextTurn(sessionId: string): Promise<Turn | undefined>;
  /** Oldest first. */
  turnsIn(states: readonly TurnState[]): Promise<Turn[]>;
  toolCalls(turnId: string): Promise<ToolCallRow[]>;
  resume(sessionId: string): Promise<Resume | undefined>;
  /** Has any attempt at this message stored transcript entries? */
  hasEntries(originTurnId: string): Promise<boolean>;
}

export interface StoreWrites extends StoreReads {
  /** Numbers and stores drafts; sessions may be mixed. */
  append(drafts: readonly LogDraft[]): Promise<Event[]>;
  insertSession(session: Omit<Session, 'lastSeq'>): Promise<void>;
  updateSession(
    id: string,
    patch: Partial<Pick<Session, 'title' | 'status' | 'costUsd' | 'updatedAt'>>,
  ): Promise<void>;
  insertTurn(turn: Turn): Promise<void>;
  updateTurn(id: string, patch: Partial<Omit<Turn, 'id' | 'sessionId'>>): Promise<void>;
  /** Inserts the row or replaces it. */
  putToolCall(row: ToolCallRow): Promise<void>;
  saveCheckpoint(at: { sessionId: string; originTurnId: string }, step: Checkpoint): Promise<void>;
}

export type LogDraft = EventDraft & { sessionId: string; at: string };

export type TurnState = 'queued' | 'running' | TurnEnd;

export interface Turn {
  id: string;
  sessionId: string;
  /** The first attempt at this message: its own id unless this turn is a retry. */
  originTurnId: string;
  /** The attempt before this one. */
  retryOf?: string;
  state: TurnState;
  content: Content;
  /** Number of the `user_message` this turn answers. */
  seq: number;
  idempotencyKey?: string;
  error?: Failure;
  costUsd: number | null;
  createdAt: string;
  startedAt?: string;
  endedAt?: string;
}

export type ToolCallState = 'asked' | 'allowed' | 'started' | 'done' | 'failed' | 'unknown';

/** A call's life, keyed by turn and call id. */
export interface ToolCallRow {
  turnId: string;
  callId: string;
  sessionId: string;
  tool: string;
  input: unknown;
  state: ToolCallState;
  /** Set once the call is settled. */
  result?: ToolOutcome;
  askedAt: string;
  startedAt?: string;
  endedAt?: string;
}
