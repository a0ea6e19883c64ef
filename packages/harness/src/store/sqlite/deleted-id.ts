// How a session that is deleted, but not cleared away yet, is told from the others: by an id that none of them can have.

/** No session of ours has a smaller id, and every deleted one has. */
export const firstId = 'ses_';
export const deletedPrefix = 'deleted:';
