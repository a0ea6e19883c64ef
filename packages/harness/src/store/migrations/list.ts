// Every step from an empty file to the newest schema, in order. A step that was ever released is never edited.
import { sessionsAndLog } from './0001-sessions-and-log.ts';
import { decisions } from './0002-decisions.ts';
import { transcripts } from './0003-transcripts.ts';
import { logEnd } from './0004-log-end.ts';
import { deletingAndForking } from './0005-deleting-and-forking.ts';
import { search } from './0006-search.ts';
import { retention } from './0007-retention.ts';
import { usage } from './0008-usage.ts';
import { agents } from './0009-agents.ts';
import { callers } from './0010-callers.ts';
import { charged } from './0011-charged.ts';
import { activeRuns } from './0012-active-runs.ts';

export interface Migration {
  /** The schema's number once this step is done: 1, 2, 3 … without a gap. */
  version: number;
  sql: string;
}

export const migrations: readonly Migration[] = [
  { version: 1, sql: sessionsAndLog },
  { version: 2, sql: decisions },
  { version: 3, sql: transcripts },
  { version: 4, sql: logEnd },
  { version: 5, sql: deletingAndForking },
  { version: 6, sql: search },
  { version: 7, sql: retention },
  { version: 8, sql: usage },
  { version: 9, sql: agents },
  { version: 10, sql: callers },
  { version: 11, sql: charged },
  { version: 12, sql: activeRuns },
];
