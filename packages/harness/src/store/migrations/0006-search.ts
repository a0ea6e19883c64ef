// Schema 6: full-text search. The index holds words only, as search-terms.ts of the SDK makes them, a space between each
// two; the text is in the log. A row's number is the position of the event where its text begins, or, for a title, the
// number of its session with a minus. Filled in the background, also with what was there before.
export const search = `
CREATE VIRTUAL TABLE search_index USING fts5(
  words, content = '', contentless_delete = 1, detail = full, tokenize = 'ascii', prefix = '3'
);

CREATE TABLE search_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- All events up to this position are indexed.
  position INTEGER NOT NULL,
  -- So are the titles of sessions that were there before the index.
  titles INTEGER NOT NULL
) STRICT;
INSERT INTO search_state SELECT 1, 0, NOT EXISTS (SELECT 1 FROM sessions);
`;
