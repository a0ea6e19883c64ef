// Backup, restore and upgrade, wired: what they ask of the rooms around the core.
import { hostname } from 'node:os';
import { createClient, ToolyardError } from '@toolyard/sdk';
import { backUpBeforeUpgrade } from '../core/backup/backups.ts';
import { finishRestore, isRestoreOpen } from '../core/backup/journal.ts';
import { type Restored, type RestoreWanted, restore } from '../core/backup/restore.ts';
import { readServerFile } from '../core/files/home.ts';
import type { Clock, Logger, OnCrashPoint } from '../core/lib/ports.ts';
import { fenceDatabase, renewDatabase } from '../store/backup/fence-database.ts';
import { lockHome } from '../store/backup/home-lock.ts';
import { writeBackup } from '../store/backup/write-backup.ts';
import { checkCopy } from '../store/check.ts';
import type { Upgrade } from '../store/migrate.ts';
import { migrations } from '../store/migrations/list.ts';
import { version } from './home.ts';

export type { Restored } from '../core/backup/restore.ts';

const systemClock: Clock = { now: () => Date.now() };

/** Before anything in a home is read: a restore that was cut off is done, and none begins until the release. */
export async function acquireHome(
  home: string,
  onCrashPoint: OnCrashPoint = () => {},
): Promise<{ release(): void }> {
  if (await isRestoreOpen(home)) {
    const alone = await lockHome(home, 'exclusive');
    await finishRestore(home, onCrashPoint).finally(() => alone.release());
  }
  return lockHome(home, 'shared');
}

/** What keeps the home as it was before its database is changed to a newer schema. */
export function createUpgradeGuard(home: string, logger: Logger, onUpgrade?: (message: string) => void) {
  return async ({ from, to }: Upgrade): Promise<void> => {
    onUpgrade?.(`Upgrading the database from schema ${from} to ${to}; backing up the home first.`);
    try {
      const path = await backUpBeforeUpgrade({ home, version, clock: systemClock, writeBackup }, { to });
      logger.info('backed up the home before its upgrade', { path, from, to });
      onUpgrade?.(`The backup of the home is ${path}`);
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError)) throw thrown;
      const message = `${thrown.message} Toolyard does not upgrade a database that it could not back up; nothing was changed.`;
      throw new ToolyardError(thrown.code, message, {
        ...(thrown.data && { data: thrown.data }),
        cause: thrown,
      });
    }
  };
}

/** The second is for tests: another clock, crash points. */
export function restoreHome(
  wanted: RestoreWanted,
  { clock = systemClock, onCrashPoint = () => {} }: { clock?: Clock; onCrashPoint?: OnCrashPoint } = {},
): Promise<Restored> {
  return restore(wanted, {
    clock,
    onCrashPoint,
    knownSchema: migrations.at(-1)?.version ?? 0,
    lockHome: (home) => lockHome(home, 'exclusive'),
    refuseServed,
    checkDatabase: checkCopy,
    fence: (path) => fenceDatabase(path, { pid: process.pid, host: hostname(), clock }),
    renew: renewDatabase,
  });
}

/** The lease would say so, too; but not where to find it, and not when the database cannot be read. */
async function refuseServed(home: string): Promise<void> {
  const file = await readServerFile(home);
  if (!file) return;
  const health = await createClient({ baseUrl: file.url })
    .health(AbortSignal.timeout(2_000))
    .catch(() => undefined);
  if (health?.pid !== file.pid) return;
  throw new ToolyardError(
    'home_in_use',
    `A server (process ${file.pid}) uses the home ${home} and answers at ${file.url}. Stop it first.`,
    { data: { pid: file.pid, url: file.url } },
  );
}
