// Schema 1: sessions with their log, turns, tool calls and the engines' stored transcripts.
// Free text is written by columns.ts; JSON columns hold text that is parsed only when read.
export const sessionsAndLog = `
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  role TEXT NOT NULL,
  engine TEXT NOT NULL,
  model TEXT NOT NULL,
  mode TEXT NOT NULL,
  cwd TEXT NOT NULL,
  workspace TEXT NOT NULL,
  status TEXT NOT NULL,
  root_session_id TEXT NOT NULL,
  parent_agent_id TEXT,
  cost_usd REAL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_cwd ON sessions (cwd);

-- Rows lie in the order of arrival and a narrow index finds a session's: with 200 sessions streaming, a commit
-- then touches a third of the bytes that one tree ordered by session would.
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  session_number INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (session_number, seq)
) STRICT;

CREATE TABLE turns (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  origin_turn_id TEXT NOT NULL,
  retry_of TEXT,
  state TEXT NOT NULL,
  content TEXT NOT NULL,
  seq INTEGER NOT NULL,
  idempotency_key TEXT,
  error TEXT,
  cost_usd REAL,
  created_at TEXT NOT NULL,
  started_at TEXT,
  ended_at TEXT,
  UNIQUE (session_id, idempotency_key)
) STRICT;
CREATE INDEX turns_by_session ON turns (session_id, position);
CREATE INDEX turns_by_state ON turns (state, session_id, position);

CREATE TABLE tool_calls (
  position INTEGER PRIMARY KEY,
  turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  input TEXT,
  state TEXT NOT NULL,
  result TEXT,
  asked_at TEXT NOT NULL,
  started_at TEXT,
  ended_at TEXT,
  UNIQUE (turn_id, call_id)
) STRICT;

CREATE TABLE checkpoints (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  token TEXT,
  state TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE entries (
  position INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  origin_turn_id TEXT NOT NULL,
  entry TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX entries_by_session ON entries (session_id, position);
CREATE INDEX entries_by_origin_turn ON entries (origin_turn_id);
`;
