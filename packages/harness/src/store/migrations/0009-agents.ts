// Schema 9: tasks, the work on them, and the runs that limits belong to. A dispatch outlives its session, so `said`,
// which is deleted with the session, lies apart from what stays; and what each step adds to has columns of its own.
export const agents = `
ALTER TABLE sessions ADD COLUMN agent_id TEXT;
ALTER TABLE sessions ADD COLUMN depth INTEGER;
ALTER TABLE sessions ADD COLUMN task_slug TEXT;

ALTER TABLE usage ADD COLUMN run_id TEXT;
ALTER TABLE usage ADD COLUMN root_session_id TEXT;
ALTER TABLE usage ADD COLUMN parent_agent_id TEXT;
ALTER TABLE usage ADD COLUMN depth INTEGER;
CREATE INDEX usage_by_root ON usage (root_session_id) WHERE root_session_id IS NOT NULL;
CREATE TRIGGER usage_forgets_deleted_root AFTER DELETE ON sessions
BEGIN
  UPDATE usage SET root_session_id = NULL WHERE root_session_id = OLD.id;
END;
CREATE TRIGGER usage_forgets_unreachable_root AFTER UPDATE OF id ON sessions
BEGIN
  UPDATE usage SET root_session_id = NULL WHERE root_session_id = OLD.id;
END;

CREATE TABLE tasks (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  closed_at TEXT,
  outcome TEXT,
  spent_usd REAL NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tasks_by_status ON tasks (status, position);

CREATE TABLE dispatches (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  drafted INTEGER NOT NULL,
  task_slug TEXT NOT NULL REFERENCES tasks (slug),
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  parent_session_id TEXT,
  root_session_id TEXT NOT NULL,
  status TEXT NOT NULL,
  live INTEGER NOT NULL GENERATED ALWAYS AS (status IN ('queued', 'running', 'waiting')) VIRTUAL,
  -- It lives, or has ended with questions or issues, or not well.
  unresolved INTEGER NOT NULL,
  drafted_at TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  -- Of itself and all under it.
  spent_usd REAL NOT NULL,
  unpriced INTEGER NOT NULL,
  tokens INTEGER NOT NULL DEFAULT 0,
  worktree TEXT,
  said TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX dispatches_by_turn ON dispatches (turn_id);
CREATE INDEX dispatches_by_session ON dispatches (session_id);
CREATE INDEX dispatches_by_time ON dispatches (drafted_at);
CREATE INDEX dispatches_by_kind ON dispatches (drafted, position);
CREATE INDEX dispatches_by_task ON dispatches (task_slug, position);
CREATE INDEX dispatches_by_run ON dispatches (run_id, drafted_at);
CREATE INDEX dispatches_by_root ON dispatches (root_session_id, position);
CREATE INDEX dispatches_by_parent ON dispatches (parent_session_id, position);
-- Few live at a time, whatever there was before.
CREATE INDEX dispatches_live ON dispatches (position) WHERE live;
CREATE INDEX dispatches_live_by_task ON dispatches (task_slug, position) WHERE live;
CREATE INDEX dispatches_live_by_run ON dispatches (run_id, position) WHERE live;
CREATE INDEX dispatches_live_by_root ON dispatches (root_session_id, position) WHERE live;
CREATE INDEX dispatches_live_by_parent ON dispatches (parent_session_id, position) WHERE live;
CREATE INDEX dispatches_unresolved ON dispatches (position) WHERE unresolved;
CREATE INDEX dispatches_unresolved_by_task ON dispatches (task_slug, position) WHERE unresolved;

-- How many dispatches of a task there are in each status: counted as they change, so that nobody has to count them.
CREATE TABLE task_counts (
  task_slug TEXT NOT NULL,
  status TEXT NOT NULL,
  dispatches INTEGER NOT NULL,
  PRIMARY KEY (task_slug, status)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER dispatch_counted AFTER INSERT ON dispatches
BEGIN
  INSERT INTO task_counts VALUES (NEW.task_slug, NEW.status, 1)
  ON CONFLICT DO UPDATE SET dispatches = dispatches + 1;
END;
CREATE TRIGGER dispatch_counted_again AFTER UPDATE OF status ON dispatches WHEN NEW.status <> OLD.status
BEGIN
  UPDATE task_counts SET dispatches = dispatches - 1 WHERE task_slug = OLD.task_slug AND status = OLD.status;
  INSERT INTO task_counts VALUES (NEW.task_slug, NEW.status, 1)
  ON CONFLICT DO UPDATE SET dispatches = dispatches + 1;
END;

CREATE TABLE runs (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  root_session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  started_at TEXT NOT NULL,
  raised TEXT NOT NULL,
  agents INTEGER NOT NULL,
  spent_usd REAL NOT NULL,
  tokens INTEGER NOT NULL,
  waited_ms REAL NOT NULL
) STRICT;
CREATE INDEX runs_by_root ON runs (root_session_id, position);
`;
