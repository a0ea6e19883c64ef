// Schema 4: the position of an event in the log of all sessions is never given twice, not even when the newest events
// are deleted: who reads on after a position would miss what took it over.
export const logEnd = `
CREATE TABLE log_end (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The newest position whose event is gone.
  position INTEGER NOT NULL
) STRICT;
INSERT INTO log_end VALUES (1, 0);
CREATE TRIGGER events_keep_end BEFORE DELETE ON events
WHEN OLD.position = (SELECT max(position) FROM events)
BEGIN
  UPDATE log_end SET position = max(position, OLD.position);
END;
`;
