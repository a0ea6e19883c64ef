// Where backups lie and how many: names that sort by time, oldest removed first. Touches no file that it has not named.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toWriteError } from './errors.ts';

export type BackupKind = 'regular' | 'before-upgrade';

const names: Record<BackupKind, RegExp> = {
  regular: /^toolyard-[\dTZ-]+\.tar\.gz$/,
  'before-upgrade': /^before-schema-\d+-[\dTZ-]+\.tar\.gz$/,
};
/** What a backup that was cut off leaves; there is one at a time. */
const unfinished = /\.tar\.gz\.[0-9a-f]{12}\.(?:part|db|db-journal|db-wal|db-shm)$/;
const stampOf = /[\dTZ-]+(?=\.tar\.gz$)/;

export const backupsName = 'backups';

export function toBackupsFolder(home: string): string {
  return join(home, backupsName);
}

/** A moment as part of a file's name: it sorts, and every system takes it. */
export function toStamp(ms: number): string {
  return new Date(ms).toISOString().replace(/[:.]/g, '-');
}

/** The folder, ready: it exists, and nothing is left in it of backups that were cut off. Throws `backup_failed`. */
export async function prepareBackupsFolder(home: string): Promise<string> {
  const folder = toBackupsFolder(home);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      if (unfinished.test(name)) await rm(join(folder, name), { force: true });
    }
    return folder;
  } catch (thrown) {
    throw toWriteError(thrown, folder);
  }
}

/** Removes the oldest of a kind; gives their paths. */
export async function removeOldest(home: string, kind: BackupKind, keep: number): Promise<string[]> {
  const folder = toBackupsFolder(home);
  const mine = (await readdir(folder).catch(() => [])).filter((name) => names[kind].test(name));
  const byTime = mine.sort((a, b) => (toTime(a) < toTime(b) ? -1 : 1));
  const oldest = byTime.slice(0, Math.max(0, byTime.length - keep)).map((name) => join(folder, name));
  for (const path of oldest) await rm(path, { force: true });
  return oldest;
}

function toTime(name: string): string {
  // The number of a schema stands before the time, and does not sort.
  return stampOf.exec(name.replace(/^before-schema-\d+-/, ''))?.[0] ?? '';
}
