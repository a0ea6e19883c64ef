// The rows of conversations that engines' own programs keep.

/** A conversation that an engine's own program keeps on disk, and how far it is in our log. */
export interface TranscriptRow {
  engine: string;
  /** The engine's own resume id. */
  token: string;
  sessionId: string;
  path: string;
  size: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
  /** What it is called there. */
  title: string;
  /** Where reading goes on; absent until it was first read. */
  cursor?: unknown;
  /** The turn that has no end yet in what was read. */
  openTurnId?: string;
}

/** What is left of a transcript whose session was deleted: enough to know it again. The file is its owner's. */
export interface DeletedTranscript
  extends Pick<TranscriptRow, 'engine' | 'token' | 'path' | 'size' | 'modifiedAt'> {
  deletedAt: string;
}
