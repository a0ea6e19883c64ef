// Looks at a database without changing it: is it whole, of a schema we know, and free?
import { readFile, stat } from 'node:fs/promises';
import { pause } from '@toolyard/sdk';
import type { Clock } from '../core/lib/ports.ts';
import { type Owner, readOwner, refuseWhileHeld } from './lease.ts';
import { refuseNewerSchema, schemaVersion } from './migrate.ts';
import { type Migration, migrations } from './migrations/list.ts';
import { type Connection, defaultBusyTimeoutMs, openReader, valuesAfter } from './sqlite/sqlite.ts';
import { corruptError } from './sqlite/sqlite-errors.ts';
import { findLostFrame } from './sqlite/wal.ts';

export interface CheckOptions {
  busyTimeoutMs: number;
  migrations: readonly Migration[];
  /** Who wants to own the file, if anyone: then it must also be free. */
  claim?: { owner: Owner; clock: Clock };
}

/** Throws `home_in_use`, `schema_newer`, `database_corrupt` or `storage_failed`. No file is a good file. */
export async function checkDatabase(
  path: string,
  options: CheckOptions = { busyTimeoutMs: defaultBusyTimeoutMs, migrations },
): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found || found.size === 0) return;
  const connection = openReader(path, options.busyTimeoutMs);
  try {
    // One snapshot for all: a server that migrates meanwhile would look like damage.
    await connection.values('BEGIN');
    const version = await refuseNewerSchema(connection, options.migrations);
    if (options.claim) await refuseHeld(connection, options.claim);
    await checkLog(connection);
    await checkSchema(connection, options.migrations, version);
    await checkPages(connection);
  } finally {
    connection.close();
  }
}

/** The same for a file that nobody else has open; gives the number of its schema, 0 when there is nothing in it. */
export async function checkCopy(path: string): Promise<number> {
  await checkDatabase(path);
  const connection = openReader(path, defaultBusyTimeoutMs);
  try {
    return await schemaVersion(connection);
  } finally {
    connection.close();
  }
}

async function refuseHeld(
  connection: Connection,
  { owner, clock }: { owner: Owner; clock: Clock },
): Promise<void> {
  const [exists] = await connection.values("SELECT 1 FROM sqlite_schema WHERE name = 'owner'");
  if (exists) refuseWhileHeld(await readOwner(connection.db), owner, clock);
}

/** A verdict needs two looks at a file that did not change between them: a server at work is not damage. */
async function checkLog(connection: Connection): Promise<void> {
  const pageSize = Number((await connection.values('PRAGMA page_size'))[0]);
  const path = `${connection.path}-wal`;
  const findLost = async () => {
    const log = await readFile(path).catch(() => new Uint8Array());
    const frame = findLostFrame(log, pageSize);
    return frame === undefined ? undefined : { frame, changedAt: (await stat(path)).mtimeMs };
  };
  const first = await findLost();
  if (!first) return;
  await pause(100);
  const second = await findLost();
  if (first.frame !== second?.frame || first.changedAt !== second.changedAt) return;
  throw corruptError(
    connection.path,
    `frame ${first.frame} of its write-ahead log is broken and hides later commits`,
  );
}

/** The quick check would pass over an index that no longer leads to every row. */
async function checkPages(connection: Connection): Promise<void> {
  const [problem] = await connection.values('PRAGMA integrity_check(1)');
  if (problem !== 'ok') throw corruptError(connection.path, String(problem));
}

// The tables inside a virtual one are SQLite's own, and another version of it may write them otherwise.
const definitions = `SELECT name || ' ' || type || ' ' || tbl_name || ' ' || sql FROM sqlite_schema
  WHERE sql IS NOT NULL AND name NOT GLOB 'search_index_*' ORDER BY name`;

/**
 * Compares a database's schema with the one that its migrations make. Its text is damaged as easily as any row, and
 * SQLite would then misread tables, or fail with words that do not say why. Throws `database_corrupt`. What others have
 * added to the file is theirs.
 */
async function checkSchema(
  connection: Connection,
  migrations: readonly Migration[],
  version: number,
): Promise<void> {
  const ours = new Set(toSchema(migrations).map(nameOf));
  const expected = toSchema(migrations.filter((migration) => migration.version <= version));
  const found = (await connection.values(definitions)).map(String).filter((text) => ours.has(nameOf(text)));
  if (expected.join('\n') === found.join('\n')) return;
  const wrong = [...expected, ...found].find((text) => !expected.includes(text) || !found.includes(text));
  throw corruptError(connection.path, `the definition of ${nameOf(wrong ?? '')} is not what was written`);
}

/** By their statements: making a schema costs as much as migrating a database. */
const schemas = new Map<string, readonly string[]>();

function toSchema(migrations: readonly Migration[]): readonly string[] {
  const statements = migrations.map(({ sql }) => sql);
  const key = statements.join(';\n');
  const known = schemas.get(key) ?? valuesAfter(statements, definitions).map(String);
  schemas.set(key, known);
  return known;
}

function nameOf(definition: string): string {
  return definition.split(' ', 1)[0] ?? '';
}
