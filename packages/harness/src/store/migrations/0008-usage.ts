// Schema 8: what each turn used of a model, in a row of its own, so that sums over months read no events and a deleted
// session's spending stays known, without the session. Filled from the log with what was used before.
export const usage = `
CREATE TABLE usage (
  turn_id TEXT PRIMARY KEY,
  ended_at TEXT NOT NULL,
  session_id TEXT,
  role TEXT NOT NULL,
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cost_usd REAL
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_end ON usage (ended_at);
CREATE INDEX usage_by_session ON usage (session_id);

CREATE TRIGGER usage_forgets_deleted AFTER DELETE ON sessions
BEGIN
  UPDATE usage SET session_id = NULL WHERE session_id = OLD.id;
END;
CREATE TRIGGER usage_forgets_unreachable AFTER UPDATE OF id ON sessions
BEGIN
  UPDATE usage SET session_id = NULL WHERE session_id = OLD.id;
END;

INSERT INTO usage
SELECT turns.id, turns.ended_at, turns.session_id, sessions.role, sessions.model,
  sum(coalesce(json_extract(step.data, '$.inputTokens'), 0)),
  sum(coalesce(json_extract(step.data, '$.outputTokens'), 0)),
  sum(coalesce(json_extract(step.data, '$.cacheReadTokens'), 0)),
  sum(coalesce(json_extract(step.data, '$.cacheWriteTokens'), 0)),
  turns.cost_usd
FROM (
  SELECT events.data, (
    SELECT started.id FROM turns AS started
    WHERE started.session_id = owner.id AND started.seq > 0 AND started.started_at <= events.at
    ORDER BY started.started_at DESC LIMIT 1
  ) AS turn_id
  FROM events JOIN sessions AS owner ON owner.number = events.session_number
  WHERE events.type = 'usage' AND owner.origin IS NULL AND json_valid(events.data)
) AS step
JOIN turns ON turns.id = step.turn_id
JOIN sessions ON sessions.id = turns.session_id
WHERE turns.ended_at IS NOT NULL
GROUP BY turns.id;
`;
