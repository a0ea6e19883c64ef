// Schema 5: sessions may be deleted and forked. Deleting looks for what hangs on a session in every table, so each has
// an index by it; and a transcript whose session was deleted must be known again, or it would be listed anew.
export const deletingAndForking = `
ALTER TABLE sessions ADD COLUMN forked_from TEXT;
ALTER TABLE sessions ADD COLUMN forked_at_seq INTEGER;

CREATE INDEX tool_calls_by_session ON tool_calls (session_id);
CREATE INDEX questions_by_session ON questions (session_id);
CREATE INDEX grants_by_holder ON grants (holder);

CREATE TABLE deleted_transcripts (
  engine TEXT NOT NULL,
  token TEXT NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_at REAL NOT NULL,
  deleted_at TEXT NOT NULL,
  PRIMARY KEY (engine, token)
) STRICT, WITHOUT ROWID;
`;
