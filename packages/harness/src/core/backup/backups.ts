// Backups on a running server: where the next one goes, one at a time, how many are kept, and the evidence of it.
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { type Actor, type Backup, type Config, type Store, ToolyardError } from '@toolyard/sdk';
import { toChangeEntry } from '../audit/audit-changes.ts';
import type { Clock, Logger } from '../lib/ports.ts';
import { backupsName, removeOldest, toBackupsFolder, toStamp } from './backup-files.ts';
import type { Packed } from './pack.ts';

export interface BackupJob {
  home: string;
  /** Absolute; must not exist. */
  target: string;
  version: string;
  createdAt: string;
}

export type WrittenBackup = Packed & { bytes: number; schema: number };

/**
 * Copies the home as it is at one moment, without holding its writers up, and looks at what it wrote before it counts.
 * Leaves nothing behind when it fails. Throws `backup_failed` or `database_corrupt`.
 */
export type WriteBackup = (job: BackupJob, signal: AbortSignal) => Promise<WrittenBackup>;

export interface BackupDeps {
  home: string;
  version: string;
  store: Store;
  clock: Clock;
  logger: Logger;
  config: Config;
  writeBackup: WriteBackup;
}

export type Backups = ReturnType<typeof createBackups>;

export function createBackups({ home, version, store, clock, logger, config, writeBackup }: BackupDeps) {
  const closing = new AbortController();
  let running: Promise<unknown> | undefined;

  async function make(path: string | undefined, actor: Actor): Promise<Backup> {
    const now = clock.now();
    const createdAt = new Date(now).toISOString();
    const target = path ?? join(toBackupsFolder(home), `toolyard-${toStamp(now)}.tar.gz`);
    if (path !== undefined) await refuseTaken(path, home);
    const written = await writeBackup({ home, target, version, createdAt }, closing.signal);
    const { bytes, schema, files, left } = written;
    const removed = path === undefined ? await removeOldest(home, 'regular', config.backup.keep) : [];
    const changed = { change: 'backup_created', subject: target } as const;
    await store.commit((tx) => tx.appendAudit(toChangeEntry(clock, actor, changed)));
    logger.info('backup created', { target, bytes, files: files.length });
    return { path: target, bytes, createdAt, version, schema, files: files.length, left, removed };
  }

  return {
    /** Throws `backup_running`, `backup_failed`, `database_corrupt` or `invalid_request`. */
    async create({ path }: { path?: string | undefined }, actor: Actor): Promise<Backup> {
      if (path !== undefined && !isAbsolute(path))
        throw new ToolyardError('invalid_request', 'path: use an absolute path.');
      if (running)
        throw new ToolyardError('backup_running', 'A backup is already running. Try again when it is done.');
      const making = make(path, actor);
      running = making;
      try {
        return await making;
      } finally {
        running = undefined;
      }
    },

    isBusy: () => running !== undefined,

    /** Cuts off one that is under way. */
    async close(): Promise<void> {
      closing.abort();
      await running?.catch(() => {});
    },
  };
}

async function refuseTaken(target: string, home: string): Promise<void> {
  const folder = await stat(dirname(target)).catch(() => undefined);
  if (!folder?.isDirectory())
    throw new ToolyardError('invalid_request', `There is no directory ${dirname(target)}. Create it first.`);
  if (await lstat(target).catch(() => undefined))
    throw new ToolyardError('invalid_request', `The file ${target} already exists. Choose another path.`);
  await refuseInHome(target, home);
}

/** Each of its other files has a meaning, also those that are not there yet. */
async function refuseInHome(target: string, home: string): Promise<void> {
  const [top = ''] = relative(await realpath(home), await realpath(dirname(target))).split(sep);
  if (top === '..' || isAbsolute(top) || top === backupsName) return;
  const message = `${target} cannot be inside the home ${home}. Choose a file outside it, or in ${toBackupsFolder(home)}.`;
  throw new ToolyardError('invalid_request', message);
}

const upgradeBackupsKept = 3;

/** Before the database is changed to a newer schema: the home as it was. Gives the path. */
export async function backUpBeforeUpgrade(
  { home, version, clock, writeBackup }: Pick<BackupDeps, 'home' | 'version' | 'clock' | 'writeBackup'>,
  { to }: { to: number },
): Promise<string> {
  const now = clock.now();
  const name = `before-schema-${to}-${toStamp(now)}.tar.gz`;
  const target = join(toBackupsFolder(home), name);
  const createdAt = new Date(now).toISOString();
  await writeBackup({ home, target, version, createdAt }, new AbortController().signal);
  await removeOldest(home, 'before-upgrade', upgradeBackupsKept);
  return target;
}
