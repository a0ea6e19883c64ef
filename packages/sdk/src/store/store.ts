// The Store port: durable rows and the log. Every implementation passes testing/store-conformance.
import type { Checkpoint, Resume, ToolOutcome } from '../engine/engine.ts';
import type { Approval, ApprovalState } from '../protocol/approval.ts';
import type { AuditEntry, AuditFilter, AuditRow } from '../protocol/audit.ts';
import type { Content } from '../protocol/content/content.ts';
import type { Failure } from '../protocol/error.ts';
import type { Event, EventDraft, PlacedEvent, TurnEnd } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { Question, QuestionState } from '../protocol/question.ts';
import type { Session } from '../protocol/session.ts';
import type { Token } from '../protocol/token.ts';
import type { AgentReads, AgentWrites } from './store-agents.ts';
import type { RetentionReads, RetentionWrites } from './store-retention.ts';
import type { SearchReads, SearchWrites } from './store-search.ts';
import type { UsageReads, UsageWrites } from './store-usage.ts';

export interface Store {
  /** Sees only what is committed. */
  readonly reads: StoreReads;
  /** When the owner before this one was last seen alive, in milliseconds; absent on a new home. */
  readonly lastAliveAt: number | undefined;
  /**
   * Runs `write` in a durable transaction, in the order of the calls, and resolves after it is on disk. Neighbouring
   * writes may share one transaction, and `write` may run twice when a neighbour fails: it must only touch `tx`.
   * Rejects with `storage_failed` or `owner_lost` and leaves nothing behind.
   */
  commit<T>(write: (tx: StoreWrites) => Promise<T>): Promise<T>;
  /**
   * Hears of new events after they are durable, in order, and of the position of the first; the others follow it one by
   * one. Must not throw.
   */
  onCommitted(listener: (events: readonly Event[], position: number) => void): void;
  /** Waits for writes under way, gives up ownership and closes. */
  close(): Promise<void>;
}

export interface StoreReads extends SearchReads, RetentionReads, UsageReads, AgentReads {
  session(id: string): Promise<Session | undefined>;
  /** Newest first; `after` is the id of the last one already seen. */
  sessions(page: { limit: number; after?: string }): Promise<Session[]>;
  countSessions(cwd: string): Promise<number>;
  /** Are there rows of deleted sessions for `clearDeleted`? */
  hasDeleted(): Promise<boolean>;
  /**
   * At most `limit` events past `after`, in order, and with `maxBytes` no more than fit into that, but one at least. A
   * hole in the numbers is `database_corrupt`.
   */
  events(sessionId: string, after: number, limit: number, maxBytes?: number): Promise<Event[]>;
  lastSeq(sessionId: string): Promise<number>;
  /**
   * At most `limit` events of all sessions past a position, in the order of their commits. Positions grow and are never
   * given twice; those of a deleted session are missing.
   */
  allEvents(after: number, limit: number): Promise<PlacedEvent[]>;
  /** The last position given. */
  lastPosition(): Promise<number>;
  turn(id: string): Promise<Turn | undefined>;
  turnByKey(sessionId: string, idempotencyKey: string): Promise<Turn | undefined>;
  /** The newest turn that answers a message that still stands. */
  latestTurn(sessionId: string): Promise<Turn | undefined>;
  /** The session's oldest queued turn. */
  nextTurn(sessionId: string): Promise<Turn | undefined>;
  /** All of a session's turns, oldest first. */
  turns(sessionId: string): Promise<TurnHead[]>;
  /** The session's turns that have not ended, oldest first. */
  openTurns(sessionId: string): Promise<TurnHead[]>;
  /** Oldest first. */
  turnsIn(states: readonly TurnState[]): Promise<TurnHead[]>;
  toolCalls(turnId: string): Promise<ToolCallRow[]>;
  resume(sessionId: string): Promise<Resume | undefined>;
  /** The same without the transcript, which may be long. */
  checkpoint(sessionId: string): Promise<Omit<Resume, 'entries'> | undefined>;
  /** The sessions whose engine gave this token, oldest first. */
  sessionsByToken(engine: string, token: string): Promise<string[]>;
  transcript(engine: string, token: string): Promise<TranscriptRow | undefined>;
  /** The transcript that a session's engine would go on with. */
  transcriptOf(sessionId: string): Promise<TranscriptRow | undefined>;
  /** All that a session was read from. */
  transcriptsOf(sessionId: string): Promise<TranscriptRow[]>;
  /** By token; `after` is the last one already seen. */
  transcripts(page: { engine: string; limit: number; after?: string }): Promise<TranscriptRow[]>;
  /** A transcript whose session was deleted. */
  deletedTranscript(engine: string, token: string): Promise<DeletedTranscript | undefined>;
  /** As `transcripts`. */
  deletedTranscripts(page: { engine: string; limit: number; after?: string }): Promise<DeletedTranscript[]>;
  /** Has any attempt at this message stored transcript entries? */
  hasEntries(originTurnId: string): Promise<boolean>;
  /** What the attempts at a message have stored, in order. */
  entriesOf(originTurnId: string): Promise<unknown[]>;
  approval(id: string): Promise<Approval | undefined>;
  /** Newest first. */
  approvals(filter: AskedFilter<ApprovalState> & { toolCallId?: string | undefined }): Promise<Approval[]>;
  approvalOf(turnId: string, toolCallId: string): Promise<Approval | undefined>;
  question(id: string): Promise<Question | undefined>;
  questions(filter: AskedFilter<QuestionState>): Promise<Question[]>;
  /** How much waits for a person in a session. */
  countPending(sessionId: string): Promise<{ approvals: number; questions: number }>;
  /** Newest first. */
  grants(): Promise<Grant[]>;
  grant(id: string): Promise<Grant | undefined>;
  /** The grant that covers a call now, if any. */
  grantFor(call: GrantedCall): Promise<Grant | undefined>;
  tokens(): Promise<Token[]>;
  tokenByHash(secretHash: string): Promise<Token | undefined>;
  /** Oldest first. */
  auditRows(page: { after: number; limit: number }): Promise<AuditRow[]>;
  /**
   * Rows that fit, in the order asked for, of the next `scan` rows past `after` (0: from that order's start). `next` is
   * the last one looked at, unless there are no more: a page with few rows, or none, may have a next one.
   */
  findAudit(search: AuditSearch): Promise<{ rows: AuditRow[]; next?: number }>;
  /** What the last row should be. */
  auditHead(): Promise<{ rows: number; hash: string }>;
  /** Hash of the files that made a person trust this workspace. */
  trustedHash(workspace: string): Promise<string | undefined>;
}

export interface AskedFilter<State> {
  state?: State | undefined;
  sessionId?: string | undefined;
  turnId?: string | undefined;
  limit: number;
  /** Id of the last one already seen. */
  after?: string | undefined;
}

export interface AuditSearch {
  filter: AuditFilter;
  order: 'asc' | 'desc';
  after: number;
  limit: number;
  scan: number;
}

/** What a grant must fit to cover a call. */
export interface GrantedCall {
  tool: string;
  key: string;
  schemaHash: string;
  sessionId: string;
  role: string;
  workspace: string;
  /** ISO time; an expired grant covers nothing. */
  at: string;
}

export interface StoreWrites extends StoreReads, SearchWrites, RetentionWrites, UsageWrites, AgentWrites {
  /** Numbers and stores drafts; sessions may be mixed. */
  append(drafts: readonly LogDraft[]): Promise<Event[]>;
  insertSession(session: Omit<Session, 'lastSeq'>): Promise<void>;
  updateSession(
    id: string,
    patch: Partial<
      Pick<Session, 'title' | 'model' | 'mode' | 'status' | 'costUsd' | 'updatedAt' | 'warnings'>
    >,
  ): Promise<void>;
  /**
   * With its log, grants and all that hangs on it; nothing of it can be read from then on. Says whether there was one.
   * Of a long log the rows may stay until `clearDeleted`.
   */
  deleteSession(id: string): Promise<boolean>;
  /** Removes at most `limit` rows of deleted sessions. Says whether there are more. */
  clearDeleted(limit: number): Promise<boolean>;
  insertTurn(turn: Turn): Promise<void>;
  updateTurn(id: string, patch: Partial<Omit<Turn, 'id' | 'sessionId'>>): Promise<void>;
  /** Inserts the row or replaces it. */
  putToolCall(row: ToolCallRow): Promise<void>;
  saveCheckpoint(at: { sessionId: string; originTurnId: string }, step: Checkpoint): Promise<void>;
  /** Inserts the row or replaces it. */
  putTranscript(row: TranscriptRow): Promise<void>;
  /** Inserts the row or replaces it. */
  putDeletedTranscript(row: DeletedTranscript): Promise<void>;
  removeDeletedTranscript(engine: string, token: string): Promise<void>;
  putApproval(approval: Approval): Promise<void>;
  putQuestion(question: Question): Promise<void>;
  putGrant(grant: Grant): Promise<void>;
  /** Says whether there was one. */
  deleteGrant(id: string): Promise<boolean>;
  putToken(token: Token, secretHash: string): Promise<void>;
  deleteToken(id: string): Promise<boolean>;
  /** Numbers the row and binds it to the one before. */
  appendAudit(entry: AuditEntry): Promise<void>;
  putTrust(workspace: string, hash: string, at: string): Promise<void>;
}

export type LogDraft = EventDraft & { sessionId: string; at: string };

/** `withdrawn`: its message was taken back before it began. */
export type TurnState = 'queued' | 'running' | 'withdrawn' | TurnEnd;

/** A turn without the words it answers, which may be long: where there may be many. */
export type TurnHead = Omit<Turn, 'content'>;

export interface Turn {
  id: string;
  sessionId: string;
  /** The first attempt at this message: its own id unless this turn is a retry. */
  originTurnId: string;
  /** The attempt before this one. */
  retryOf?: string;
  state: TurnState;
  content: Content;
  /** Number of the `user_message` this turn answers; 0 for a turn that is one tool call of somebody else. */
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

/** A conversation that an engine's own program keeps on disk, and how far it is in our log. */
export interface TranscriptRow {
  engine: string;
  /** The engine's own resume id. */
  token: string;
  sessionId: string;
  path: string;
  size: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
  /** What it is called there. */
  title: string;
  /** Where reading goes on; absent until it was first read. */
  cursor?: unknown;
  /** The turn that has no end yet in what was read. */
  openTurnId?: string;
}

/** What is left of a transcript whose session was deleted: enough to know it again. The file is its owner's. */
export interface DeletedTranscript
  extends Pick<TranscriptRow, 'engine' | 'token' | 'path' | 'size' | 'modifiedAt'> {
  deletedAt: string;
}
