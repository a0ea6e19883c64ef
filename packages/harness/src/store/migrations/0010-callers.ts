// Schema 10: who makes the calls of a session in which nobody converses.
export const callers = `
ALTER TABLE sessions ADD COLUMN caller TEXT;
CREATE INDEX sessions_by_caller ON sessions (caller, role) WHERE caller IS NOT NULL;
`;
