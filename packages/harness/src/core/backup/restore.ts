// Puts a backup in the place of a home: unpack beside it, look at everything, then change all at once. Until the journal
// is written the home is as it was, and every refusal leaves it so.
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ToolyardError } from '@toolyard/sdk';
import { prepareHome } from '../files/home.ts';
import type { Clock, OnCrashPoint } from '../lib/ports.ts';
import { toStamp } from './backup-files.ts';
import { databaseName, lockName } from './contents.ts';
import { damagedBackup, newerFormat, toWriteError, unreadableBackup } from './errors.ts';
import {
  finishRestore,
  isRestoreOpen,
  removeRestoring,
  replaced,
  syncFolder,
  toRestoringFolder,
  writeJournal,
} from './journal.ts';
import type { BackupHead } from './manifest.ts';
import type { TarEntry } from './tar.ts';
import { type Unpacked, unpack } from './unpack.ts';

export interface RestorePorts {
  clock: Clock;
  onCrashPoint: OnCrashPoint;
  /** The newest schema that this version knows. */
  knownSchema: number;
  /** Keeps servers from starting in the home. Throws `home_in_use`. */
  lockHome(home: string): Promise<{ release(): void }>;
  /** Throws `home_in_use` while a server answers for the home. */
  refuseServed(home: string): Promise<void>;
  /** The number of its schema, 0 when there is nothing in it. Throws `database_corrupt` or `schema_newer`. */
  checkDatabase(path: string): Promise<number>;
  /**
   * Takes a database from an owner that sleeps: it cannot write any more when it wakes. Throws `home_in_use` when it is
   * awake. Gives the epoch, 0 for a database that cannot be read.
   */
  fence(path: string): Promise<number>;
  /** Makes the database another owner's than any before: its epoch is above `above`. Closed and on disk afterwards. */
  renew(path: string, minEpoch: number): Promise<void>;
}

export interface RestoreWanted {
  file: string;
  home: string;
  /** Replace what is in the home. */
  force: boolean;
}

export interface Restored {
  home: string;
  head: BackupHead;
  files: number;
  /** Where what was there before is now. */
  aside?: string;
}

export async function restore(wanted: RestoreWanted, ports: RestorePorts): Promise<Restored> {
  const { home, file } = wanted;
  await stat(file).catch((cause: unknown) => {
    throw unreadableBackup(file, 'ENOENT', cause);
  });
  const before = await inspectHome(home);
  await prepareHome(home);
  await ports.refuseServed(home);
  const lock = await ports.lockHome(home);
  let isRefused = true;
  try {
    await finishRestore(home, ports.onCrashPoint);
    await removeRestoring(home);
    const restored = await replaceHome(wanted, ports);
    isRefused = false;
    return restored;
  } finally {
    if (isRefused) await removeLock(home, before);
    lock.release();
    if (isRefused) for (const path of before.made) await rmdir(path).catch(() => {});
  }
}

interface Before {
  /** Nothing of anybody was in it. */
  isEmpty: boolean;
  /** The folders that had to be made for it, itself first. */
  made: string[];
}

async function inspectHome(home: string): Promise<Before> {
  const names = await readdir(home).catch(() => []);
  const made: string[] = [];
  for (let path = home; !(await lstat(path).catch(() => undefined)); path = dirname(path)) made.push(path);
  return { isEmpty: names.length === 0, made };
}

/** The lock of a restore that was refused, unless it was there before or somebody has put something beside it. */
async function removeLock(home: string, { isEmpty }: Before): Promise<void> {
  const names = await readdir(home).catch(() => []);
  if (isEmpty && names.every((name) => name.startsWith(lockName)))
    await rm(join(home, lockName), { force: true }).catch(() => {});
}

async function replaceHome({ file, home, force }: RestoreWanted, ports: RestorePorts): Promise<Restored> {
  const present = await namesIn(home);
  if (present.length > 0 && !force) throw notEmpty(home, present);
  await refuseMounted(home, present);
  const id = randomBytes(6).toString('hex');
  const folder = toRestoringFolder(home, id);
  await mkdir(folder, { mode: 0o700 });
  try {
    const { head, files } = await unpackInto(folder, file, ports.knownSchema);
    await refuseUnsound(file, head, join(folder, databaseName), ports);
    const epoch = await ports.fence(join(home, databaseName));
    await ports.renew(join(folder, databaseName), epoch);
    await syncFolders(folder);
    const aside = `before-restore-${toStamp(ports.clock.now())}`;
    ports.onCrashPoint('restore.unpacked');
    await writeJournal(home, { from: `.restoring-${id}`, aside, fresh: await namesIn(folder) });
    ports.onCrashPoint('restore.decided');
    await finishRestore(home, ports.onCrashPoint);
    return { home, head, files: files.length, ...(present.length > 0 && { aside: join(home, aside) }) };
  } catch (thrown) {
    await removeUnlessDecided(home, folder);
    throw toWriteError(thrown, home);
  }
}

async function unpackInto(folder: string, file: string, knownSchema: number): Promise<Unpacked> {
  const unpacked = await unpack(file, {
    onHead: ({ schema, version }) => {
      if (schema > knownSchema)
        throw newerFormat(file, `${version}, schema ${schema}; this one knows ${knownSchema}`);
    },
    onFile: (entry, bytes) => writeWhole(join(folder, entry.name), entry, bytes),
  });
  if (!unpacked.files.some(({ path }) => path === databaseName))
    throw damagedBackup(file, 'it has no database');
  return unpacked;
}

async function writeWhole(path: string, entry: TarEntry, bytes: AsyncIterable<Buffer>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(Readable.from(bytes, { objectMode: false }), file);
  await utimes(path, entry.modifiedAt, entry.modifiedAt);
}

/** Its checksum fits, so what is wrong with it was so when it was written. */
async function refuseUnsound(
  file: string,
  { schema }: BackupHead,
  database: string,
  ports: RestorePorts,
): Promise<void> {
  try {
    const found = await ports.checkDatabase(database);
    if (found !== schema || found === 0)
      throw damagedBackup(file, 'its database does not match its manifest');
  } catch (thrown) {
    if (!(thrown instanceof ToolyardError) || thrown.code !== 'database_corrupt') throw thrown;
    throw damagedBackup(file, `its database is damaged (${thrown.data?.detail ?? thrown.message})`);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder);
  return replaced.filter((name) => found.includes(name));
}

/** What lies on another disk could not be moved aside once all is decided. */
async function refuseMounted(home: string, present: readonly string[]): Promise<void> {
  const { dev } = await lstat(home);
  for (const name of present) {
    if ((await lstat(join(home, name))).dev === dev) continue;
    const message = `${join(home, name)} is on another disk than the home, so it cannot be replaced atomically. Restore into another home with --home, and move what you need.`;
    throw new ToolyardError('home_unusable', message);
  }
}

function notEmpty(home: string, present: readonly string[]): ToolyardError {
  const how = 'Add --force to replace it; the present data is kept in a folder beside it.';
  const message = `The home ${home} already has data (${present.join(', ')}). ${how}`;
  return new ToolyardError('home_not_empty', message, { data: { present } });
}

async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
  }
  await syncFolder(folder);
}

/** Once it is decided, the folder holds what the next start needs. */
async function removeUnlessDecided(home: string, folder: string): Promise<void> {
  if (await isRestoreOpen(home)) return;
  await rm(folder, { recursive: true, force: true });
}
