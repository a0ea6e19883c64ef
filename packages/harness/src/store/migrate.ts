// Brings the schema up to date, one step per transaction together with its number: a kill leaves the last whole step.
import { ToolyardError } from '@toolyard/sdk';
import type { Reach } from '../core/ports.ts';
import type { Lease } from './lease.ts';
import type { Migration } from './migrations/list.ts';
import type { Connection, Writer } from './sqlite.ts';
import { inTransaction } from './transaction.ts';

export interface MigrateOptions {
  migrations: readonly Migration[];
  patienceMs: number;
  reach: Reach;
}

export async function migrate(writer: Writer, lease: Lease, options: MigrateOptions): Promise<void> {
  for (const { version, sql } of options.migrations) {
    if (version <= (await schemaVersion(writer))) continue;
    await inTransaction(writer, options.patienceMs, async () => {
      await lease.verify();
      writer.exec(sql);
      writer.exec(`PRAGMA user_version = ${version}`);
      options.reach('migration.written');
    });
  }
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
    `The database ${connection.path} was made by a newer Toolyard: it has schema ${found}, this version knows up to ${known}. Upgrade Toolyard; the file was not touched.`,
    { data: { found, known } },
  );
}

async function schemaVersion(connection: Connection): Promise<number> {
  return Number((await connection.values('PRAGMA user_version'))[0]);
}
