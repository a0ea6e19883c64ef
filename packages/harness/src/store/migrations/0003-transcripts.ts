// Schema 3: conversations that an engine's own program keeps on disk. Each is a session like any other; this is which,
// where its file lies, and how far that file is in the log.
export const transcripts = `
ALTER TABLE sessions ADD COLUMN origin TEXT;
ALTER TABLE sessions ADD COLUMN warnings TEXT;

CREATE TABLE transcripts (
  engine TEXT NOT NULL,
  token TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_at REAL NOT NULL,
  title TEXT NOT NULL,
  cursor TEXT,
  open_turn_id TEXT,
  PRIMARY KEY (engine, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX transcripts_by_session ON transcripts (session_id);
CREATE INDEX checkpoints_by_token ON checkpoints (token);
`;
