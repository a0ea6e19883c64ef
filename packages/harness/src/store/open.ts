// Opens the store on one SQLite file. In this order: look without touching, own, migrate; so a file that is damaged,
// newer or in use stays as it is.
import { randomUUID } from 'node:crypto';
import { chmod, open, stat } from 'node:fs/promises';
import type { Store, ToolyardError } from '@toolyard/sdk';
import type { Clock, OnCrashPoint } from '../core/lib/ports.ts';
import { checkDatabase } from './check.ts';
import { acquireLease, heartbeatIntervalMs, type Lease } from './lease.ts';
import { type MigrateOptions, migrate, type Upgrade } from './migrate.ts';
import { type Migration, migrations } from './migrations/list.ts';
import {
  type Connection,
  defaultBusyTimeoutMs,
  inTransaction,
  openReader,
  openWriter,
  type Writer,
} from './sqlite/sqlite.ts';
import { toStoreError } from './sqlite/sqlite-errors.ts';
import { createSqliteStore } from './sqlite-store.ts';

export interface StoreOptions {
  /** The database file. Its directory exists, and keeping others out of it is the caller's duty. */
  path: string;
  clock: Clock;
  /** Who wants to write; `instance` tells two starts of the same process number apart. */
  owner: { pid: number; host: string; instance?: string };
  /** Called once, when another owner has taken over and nothing can be written any more. */
  onLost?: (error: ToolyardError) => void;
  onCrashPoint?: OnCrashPoint;
  /** The most pages the file may have. */
  maxPages?: number;
  /** Called before a database of an older schema is changed. When it throws, nothing is. */
  beforeUpgrade?: (upgrade: Upgrade) => Promise<void>;
}

/** What only the store's own tests change. */
export interface StoreInternals {
  /** How long a locked database is waited for. */
  busyTimeoutMs: number;
  heartbeatIntervalMs: number;
  migrations: readonly Migration[];
}

const shipped: StoreInternals = { busyTimeoutMs: defaultBusyTimeoutMs, heartbeatIntervalMs, migrations };

/** Rejects with `home_in_use`, `schema_newer`, `database_corrupt` or `storage_failed`. */
export async function openStore(
  options: StoreOptions,
  changed: Partial<StoreInternals> = {},
): Promise<Store> {
  const { path, clock, maxPages, onCrashPoint = () => {}, onLost = () => {} } = options;
  const { beforeUpgrade = async () => {} } = options;
  const internals = { ...shipped, ...changed };
  const { busyTimeoutMs } = internals;
  const owner = { instance: randomUUID(), ...options.owner };
  await prepareFiles(path);
  await checkDatabase(path, { ...internals, claim: { owner, clock } });
  const writer = await openWriter(path, { busyTimeoutMs, ...(maxPages !== undefined && { maxPages }) });
  try {
    const lease = await acquireLease(writer, { owner, clock, busyTimeoutMs, onLost });
    const reader = await migrateAndRead(writer, lease, { onCrashPoint, beforeUpgrade, ...internals });
    return createSqliteStore({ writer, reader, lease, onCrashPoint, ...internals });
  } catch (thrown) {
    writer.close();
    throw thrown;
  }
}

type Steps = StoreInternals & MigrateOptions;

async function migrateAndRead(writer: Writer, lease: Lease, steps: Steps): Promise<Connection> {
  try {
    await migrate(writer, lease, steps);
    return openReader(writer.path, steps.busyTimeoutMs, writer.read);
  } catch (thrown) {
    // The cause matters more than a release that fails as well.
    await inTransaction(writer, steps.busyTimeoutMs, () => lease.release()).catch(() => {});
    throw thrown;
  }
}

/**
 * Makes sure that the database's files exist and that only their owner can read them. SQLite gives the files that it
 * makes beside the database the same mode.
 */
async function prepareFiles(path: string): Promise<void> {
  try {
    const file = await open(path, 'a', 0o600);
    await file.close();
    for (const part of [path, `${path}-wal`, `${path}-shm`]) await closeToOthers(part);
  } catch (thrown) {
    throw toStoreError(thrown, path);
  }
}

async function closeToOthers(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && (found.mode & 0o077) !== 0) await chmod(path, 0o600);
}
