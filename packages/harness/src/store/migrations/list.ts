// Every step from an empty file to the newest schema, in order. A step that was ever released is never edited.
import { sessionsAndLog } from './0001-sessions-and-log.ts';
import { decisions } from './0002-decisions.ts';
import { transcripts } from './0003-transcripts.ts';

export interface Migration {
  /** The schema's number once this step is done: 1, 2, 3 … without a gap. */
  version: number;
  sql: string;
}

export const migrations: readonly Migration[] = [
  { version: 1, sql: sessionsAndLog },
  { version: 2, sql: decisions },
  { version: 3, sql: transcripts },
];
