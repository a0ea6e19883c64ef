// SQLite's result codes in words a person can act on. Every failure of the database leaves the store through here.
import { ToolyardError } from '@toolyard/sdk';

type Reason = 'busy' | 'disk_full' | 'read_only' | 'disk_error' | 'cannot_open' | 'refused' | 'other';

/** Primary result codes (the low byte of SQLite's extended code) and Node's codes for the file itself. */
const reasons = new Map<number | string, Reason>([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'read_only'],
  [10, 'disk_error'],
  [13, 'disk_full'],
  [14, 'cannot_open'],
  [15, 'busy'],
  [19, 'refused'],
  ['EACCES', 'read_only'],
  ['EPERM', 'read_only'],
  ['EROFS', 'read_only'],
  ['ENOENT', 'cannot_open'],
  ['ENOTDIR', 'cannot_open'],
  ['EISDIR', 'cannot_open'],
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
]);
const corruptCodes = new Set([11, 26]);
/** Our statements fit our schema, so what they miss was damaged. */
const damagedSchema = /no such (column|table)|has no column named|invalid fts5 file format/;

const sentences: Record<Reason, string> = {
  busy: 'is busy: another process has locked it. End that process (a backup, an open sqlite3 shell) and try again.',
  disk_full: 'cannot grow: the disk is full. Free some space and try again; nothing was stored.',
  read_only: 'is read-only. Make the file and its directory writable for this user and try again.',
  disk_error: 'could not be read or written: the disk reports an error. Check the disk, then try again.',
  cannot_open: 'cannot be opened. Check that its directory exists and that this user may use it.',
  refused: 'refused a row that conflicts with another one.',
  other: 'failed.',
};

/** What a statement threw, as the error that leaves the store. Anything else passes unchanged. */
export function toStoreError(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof Error) || thrown instanceof ToolyardError) return thrown;
  const code = sqliteCode(thrown);
  if (code !== undefined && (corruptCodes.has(code) || damagedSchema.test(thrown.message))) {
    return corruptError(path, thrown.message, thrown);
  }
  if ('code' in thrown && thrown.code === 'ERR_INVALID_STATE') return closedError(thrown);
  const reason = reasonOf(thrown, code);
  if (reason === undefined) return thrown;
  return new ToolyardError(
    'storage_failed',
    `The database ${path} ${sentences[reason]} (${thrown.message})`,
    {
      data: { reason },
      cause: thrown,
    },
  );
}

export function isBusy(thrown: unknown): boolean {
  return thrown instanceof ToolyardError && thrown.data?.reason === 'busy';
}

export function isCorrupt(thrown: unknown): thrown is ToolyardError {
  return thrown instanceof ToolyardError && thrown.code === 'database_corrupt';
}

export function corruptError(path: string, detail: string, cause?: unknown): ToolyardError {
  return new ToolyardError(
    'database_corrupt',
    `The database ${path} is damaged: ${detail}. Toolyard did not change it. Restore a backup, or move the file away to start with an empty database.`,
    { data: { path, detail }, cause },
  );
}

/** A row that SQLite can read but that is not what was written. */
export function corruptRow(row: string, detail: string, data: Record<string, unknown> = {}): ToolyardError {
  return new ToolyardError(
    'database_corrupt',
    `The database is damaged: ${row} ${detail}. Stop Toolyard and restore a backup.`,
    { data },
  );
}

export function closedError(cause?: unknown): ToolyardError {
  return new ToolyardError('shutting_down', 'The store is closed: Toolyard is stopping.', { cause });
}

function reasonOf(thrown: Error, code: number | undefined): Reason | undefined {
  if (code !== undefined) return reasons.get(code) ?? 'other';
  return 'code' in thrown && typeof thrown.code === 'string' ? reasons.get(thrown.code) : undefined;
}

function sqliteCode(thrown: Error): number | undefined {
  return 'errcode' in thrown && typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : undefined;
}
