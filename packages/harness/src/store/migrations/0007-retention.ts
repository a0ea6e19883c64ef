// Schema 7: retention asks for the sessions that nobody touched for longest, again and again.
export const retention = `
CREATE INDEX sessions_by_update ON sessions (updated_at, id);
`;
