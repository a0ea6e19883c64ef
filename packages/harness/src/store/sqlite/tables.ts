// The rows as they lie in the database, for Kysely's types. The truth about columns is in migrations/.
import type { PermissionMode, SessionStatus, ToolCallState, TurnState } from '@toolyard/sdk';
import type { Generated } from 'kysely';
import type { AgentTables } from './agent-tables.ts';

export interface Tables extends AgentTables {
  owner: OwnerTable;
  sessions: SessionTable;
  events: EventTable;
  log_end: LogEndTable;
  turns: TurnTable;
  tool_calls: ToolCallTable;
  usage: UsageTable;
  checkpoints: CheckpointTable;
  entries: EntryTable;
  transcripts: TranscriptTable;
  deleted_transcripts: DeletedTranscriptTable;
  search_state: SearchStateTable;
  approvals: ApprovalTable;
  questions: QuestionTable;
  grants: GrantTable;
  tokens: TokenTable;
  audit: AuditTable;
  audit_head: AuditHeadTable;
  trust: TrustTable;
}

/** One row: who may write. `epoch` only grows. */
export interface OwnerTable {
  id: number;
  epoch: number;
  held: number;
  pid: number;
  host: string;
  instance: string;
  since: string;
  beat_at: number;
}

export interface SessionTable {
  /** Stands for `id` in the log, where 26 characters per event would cost a third of the speed. */
  number: Generated<number>;
  id: string;
  title: string;
  role: string;
  engine: string;
  model: string;
  mode: PermissionMode;
  cwd: string;
  workspace: string;
  status: SessionStatus;
  root_session_id: string;
  parent_agent_id: string | null;
  cost_usd: number | null;
  created_at: string;
  updated_at: string;
  origin: 'outside' | null;
  /** A JSON list of sentences. */
  warnings: string | null;
  /** Id of the session it goes on from, and the number of the last event there that it has. */
  forked_from: string | null;
  forked_at_seq: number | null;
  /** Of a drafted agent's session. */
  agent_id: string | null;
  depth: number | null;
  task_slug: string | null;
  /** Of a session in which nobody converses. */
  caller: string | null;
}

export interface EventTable {
  /** Order over all sessions, given once and never again. */
  position: number;
  session_number: number;
  seq: number;
  at: string;
  type: string;
  data: string;
  checksum: number;
}

/** One row: the newest position whose event is gone. */
export interface LogEndTable {
  id: number;
  position: number;
}

export interface TurnTable {
  /** Order of creation, whatever the clock did. */
  position: Generated<number>;
  id: string;
  session_id: string;
  origin_turn_id: string;
  retry_of: string | null;
  state: TurnState;
  content: string;
  seq: number;
  idempotency_key: string | null;
  error: string | null;
  cost_usd: number | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

/** What a turn used of a model. Outlives its session. */
export interface UsageTable {
  turn_id: string;
  ended_at: string;
  /** Until the session is deleted. */
  session_id: string | null;
  role: string;
  model: string;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  cost_usd: number | null;
  charged_usd: number | null;
  run_id: string | null;
  /** Until the root is deleted. */
  root_session_id: string | null;
  parent_agent_id: string | null;
  depth: number | null;
}

export interface ToolCallTable {
  position: Generated<number>;
  turn_id: string;
  call_id: string;
  session_id: string;
  tool: string;
  input: string | null;
  state: ToolCallState;
  result: string | null;
  asked_at: string;
  started_at: string | null;
  ended_at: string | null;
}

/** The newest small state of a session's engine. */
export interface CheckpointTable {
  session_id: string;
  token: string | null;
  state: string | null;
}

/** The stored transcript: grows, never changes. */
export interface EntryTable {
  position: Generated<number>;
  session_id: string;
  origin_turn_id: string;
  entry: string;
  checksum: number;
}

/** A conversation that an engine's own program keeps on disk. */
export interface TranscriptTable {
  engine: string;
  token: string;
  session_id: string;
  path: string;
  size: number;
  modified_at: number;
  title: string;
  cursor: string | null;
  open_turn_id: string | null;
}

/** A transcript whose session was deleted. */
export interface DeletedTranscriptTable {
  engine: string;
  token: string;
  path: string;
  size: number;
  modified_at: number;
  deleted_at: string;
}

/** One row: how far the log is indexed for search. The index itself is a virtual table: see rows/search.ts. */
export interface SearchStateTable {
  id: number;
  position: number;
  titles: number;
}

export interface QuestionTable {
  id: string;
  session_id: string;
  turn_id: string;
  state: string;
  body: string;
}

export interface ApprovalTable extends QuestionTable {
  call_id: string;
}

export interface GrantTable {
  id: string;
  tool: string;
  key_hash: string;
  schema_hash: string;
  /** Whom it covers: a session's id, or role and workspace. */
  holder: string;
  expires_at: string;
  body: string;
}

export interface TokenTable {
  id: string;
  secret_hash: string;
  body: string;
}

export interface AuditTable {
  seq: number;
  body: string;
  previous_hash: string;
  hash: string;
}

/** One row: how many the audit has, and the hash of the last. */
export interface AuditHeadTable {
  id: number;
  rows: number;
  hash: string;
}

export interface TrustTable {
  workspace: string;
  hash: string;
  at: string;
}

/**
 * How a session that is deleted, but not cleared away yet, is told from the others: by an id that none of them can
 * have. No session of ours has a smaller id, and every deleted one has.
 */
export const firstId = 'ses_';
export const deletedPrefix = 'deleted:';
