// How a restore changes a home all at once: what will be done is written down first, and done by whoever comes next if
// its author dies. Before the journal is there the old home stands; afterwards the new one does.
import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';
import { z } from 'zod';
import type { OnCrashPoint } from '../lib/ports.ts';
import { databaseNames, fileNames, folderNames } from './contents.ts';

const name = 'restore.json';
const foldersBegin = '.restoring-';
/** Everything a restore replaces. */
export const replaced = [...databaseNames, ...fileNames, ...folderNames];

const Journal = z.strictObject({
  /** In the home: where the new files wait. */
  from: z.string().regex(/^\.restoring-[0-9a-f]+$/),
  /** In the home: where the old ones go. */
  aside: z.string().regex(/^before-restore-[\dTZ-]+$/),
  /** Which of the replaced names are there anew. */
  fresh: z.array(z.enum(replaced)),
});
export type Journal = z.infer<typeof Journal>;

export function toRestoringFolder(home: string, id: string): string {
  return join(home, `${foldersBegin}${id}`);
}

export async function isRestoreOpen(home: string): Promise<boolean> {
  return (await lstat(join(home, name)).catch(() => undefined)) !== undefined;
}

/** From here on the restore will be done. Everything it names is on disk. */
export async function writeJournal(home: string, journal: Journal): Promise<void> {
  const temporary = join(home, journal.from, name);
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(Journal.parse(journal)));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(home, name));
  await syncFolder(home);
}

/** Does what is left of an open restore; each step may have been done before. Only one process at a time may. */
export async function finishRestore(home: string, onCrashPoint: OnCrashPoint): Promise<void> {
  const journal = await readJournal(home);
  if (!journal) return;
  for (const part of replaced) await replace(home, part, journal, onCrashPoint);
  for (const folder of [home, join(home, journal.aside)]) await syncFolder(folder);
  await rm(join(home, name));
  await syncFolder(home);
  await removeRestoring(home);
}

/** What restores that came to nothing have left. */
export async function removeRestoring(home: string): Promise<void> {
  for (const found of await readdir(home)) {
    if (found.startsWith(foldersBegin)) await rm(join(home, found), { recursive: true, force: true });
  }
}

async function replace(
  home: string,
  part: string,
  journal: Journal,
  onCrashPoint: OnCrashPoint,
): Promise<void> {
  const [fresh, current] = [join(home, journal.from, part), join(home, part)];
  const isFresh = journal.fresh.some((each) => each === part);
  // Where the fresh one is gone from its folder, it already is the current one.
  if (isFresh && !(await exists(fresh))) return;
  if (await exists(current)) {
    await mkdir(join(home, journal.aside), { recursive: true, mode: 0o700 });
    await rename(current, join(home, journal.aside, part));
    onCrashPoint('restore.moved');
  }
  if (isFresh) await rename(fresh, current);
  onCrashPoint('restore.moved');
}

async function readJournal(home: string): Promise<Journal | undefined> {
  const path = join(home, name);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return Journal.parse(JSON.parse(text));
  } catch (cause) {
    const how = 'Check the folders .restoring-* and before-restore-* there, then remove the file.';
    throw new ToolyardError(
      'home_unusable',
      `${path} cannot be read, so an interrupted restore cannot be completed. ${how}`,
      {
        cause,
      },
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Makes names in a folder durable. Not every system can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** The same for a file that was just renamed or linked. */
export function syncFolderOf(path: string): Promise<void> {
  return syncFolder(dirname(path));
}
