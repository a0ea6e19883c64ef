// Schema 2: what people decide and what may be proved about it. `body` holds the protocol's own object as JSON; the
// columns beside it are only what is looked up.
export const decisions = `
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  state TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (turn_id, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_by_state ON approvals (state, id);
CREATE INDEX approvals_by_session ON approvals (session_id, state, id);

CREATE TABLE questions (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_id TEXT NOT NULL,
  state TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_by_state ON questions (state, id);
CREATE INDEX questions_by_turn ON questions (turn_id, state);

CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  tool TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  schema_hash TEXT NOT NULL,
  -- A session's id, or role and workspace: whom it covers.
  holder TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_by_call ON grants (tool, key_hash, holder);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  body TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
-- Without it, cutting the newest rows off would leave a chain that looks whole.
CREATE TABLE audit_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  rows INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE trust (
  workspace TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
