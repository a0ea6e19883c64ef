// Brings the schema up to date, every step and its number in one transaction: a kill or a failure leaves the database
// as it was, for the version that made it to open again.
import { ToolyardError } from '@toolyard/sdk';
import type { OnCrashPoint } from '../core/lib/ports.ts';
import type { Lease } from './lease.ts';
import type { Migration } from './migrations/list.ts';
import { type Connection, inTransaction, type Writer } from './sqlite/sqlite.ts';

/** From one schema to another. */
export interface Upgrade {
  from: number;
  to: number;
}

export interface MigrateOptions {
  migrations: readonly Migration[];
  busyTimeoutMs: number;
  onCrashPoint: OnCrashPoint;
  /** Called before a database that holds something is changed, while its owner shows that it lives. */
  beforeUpgrade: (upgrade: Upgrade) => Promise<void>;
  heartbeatIntervalMs: number;
}

export async function migrate(writer: Writer, lease: Lease, options: MigrateOptions): Promise<void> {
  const { migrations, busyTimeoutMs, onCrashPoint } = options;
  const from = await schemaVersion(writer);
  const missing = migrations.filter(({ version }) => version > from);
  const to = missing.at(-1)?.version;
  if (to === undefined) return;
  if (from > 0) await withHeartbeat(writer, lease, options, () => options.beforeUpgrade({ from, to }));
  const upgrade = inTransaction(writer, busyTimeoutMs, async () => {
    await lease.verify();
    for (const { version, sql } of missing) {
      writer.exec(sql);
      writer.exec(`PRAGMA user_version = ${version}`);
      onCrashPoint('migration.written');
    }
  });
  await upgrade.catch((thrown: unknown) => {
    throw from > 0 ? toUpgradeError(thrown, { from, to }) : thrown;
  });
}

async function withHeartbeat(
  writer: Writer,
  lease: Lease,
  { busyTimeoutMs, heartbeatIntervalMs }: MigrateOptions,
  work: () => Promise<void>,
): Promise<void> {
  const sendHeartbeat = () =>
    inTransaction(writer, busyTimeoutMs, async () => {
      await lease.verify();
      await lease.heartbeat();
    });
  let heartbeat: Promise<void> = Promise.resolve();
  const beating = setInterval(() => {
    // One that fails is followed by another; a lost lease shows itself in the upgrade.
    heartbeat = heartbeat.then(() => sendHeartbeat().catch(() => {}));
  }, heartbeatIntervalMs);
  try {
    await work();
  } finally {
    clearInterval(beating);
    await heartbeat;
  }
}

/** Says that nothing was lost: who reads it may have reason to think so. */
function toUpgradeError(thrown: unknown, { from, to }: Upgrade): unknown {
  if (!(thrown instanceof ToolyardError)) return thrown;
  const { code, message, data } = thrown;
  const kept = `The upgrade from schema ${from} to ${to} was rolled back: the database is unchanged, and the Toolyard version that wrote it can still open it.`;
  return new ToolyardError(code, `${message} ${kept}`, { data: { ...data, from, to }, cause: thrown });
}

/** The file's schema number. Throws `schema_newer` for a file that this version cannot know. */
export async function refuseNewerSchema(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<number> {
  const found = await schemaVersion(connection);
  const known = migrations.at(-1)?.version ?? 0;
  if (found <= known) return found;
  throw new ToolyardError(
    'schema_newer',
    `The database ${connection.path} was made by a newer Toolyard: it has schema ${found}, this version supports up to ${known}. Upgrade Toolyard; the file was not changed.`,
    { data: { found, known } },
  );
}

/** The number of the schema that a database has. */
export async function schemaVersion(connection: Connection): Promise<number> {
  return Number((await connection.values('PRAGMA user_version'))[0]);
}
