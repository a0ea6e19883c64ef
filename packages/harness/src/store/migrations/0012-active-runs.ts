// Schema 12: when somebody last worked in a run. The time since is nobody's.
export const activeRuns = `
ALTER TABLE runs ADD COLUMN last_active_at TEXT NOT NULL DEFAULT '';
UPDATE runs SET last_active_at = coalesce(
  (SELECT max(updated_at) FROM sessions WHERE sessions.root_session_id = runs.root_session_id), started_at);
`;
