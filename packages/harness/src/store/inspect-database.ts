// Everything the doctor wants to know of a database, from one snapshot and without changing it. Also loaded by a thread
// of its own, so that a server can look at its database without standing still.
import { stat } from 'node:fs/promises';
import type { StoreReads } from '@toolyard/sdk';
import { verifyAudit } from '../core/audit/audit-chain.ts';
import type { DatabaseFacts } from '../core/doctor/probes.ts';
import { checkDatabase } from './check.ts';
import { isOwnerAlive, readOwner } from './lease.ts';
import { schemaVersion } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { createAuditReads } from './queries/audit.ts';
import { createRetentionReads } from './queries/retention.ts';
import { type Connection, defaultBusyTimeoutMs, openReader } from './sqlite/sqlite.ts';
import { firstId } from './sqlite/tables.ts';

/** This very module, for a thread to load. */
export const inspectModule = import.meta.url;

export interface InspectOptions {
  path: string;
  /** Milliseconds since the epoch. */
  now: number;
  host: string;
}

/** Rejects as `checkDatabase` does. Nothing when there is no database yet. */
export async function inspectDatabase({
  path,
  now,
  host,
}: InspectOptions): Promise<DatabaseFacts | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found || found.size === 0) return undefined;
  await checkDatabase(path);
  const connection = openReader(path, defaultBusyTimeoutMs);
  try {
    await connection.values('BEGIN');
    const tables = new Set(await connection.values('SELECT name FROM sqlite_schema'));
    const newestAt = await first(connection, 'SELECT max(updated_at) FROM sessions', tables.has('sessions'));
    const search = tables.has('search_state') ? { search: await findIndexed(connection) } : {};
    return {
      schema: { found: await schemaVersion(connection), known: migrations.at(-1)?.version ?? 0 },
      size: await createRetentionReads(connection.db).storeSize(),
      canShrink: (await first(connection, 'PRAGMA auto_vacuum')) !== 0,
      sessions: Number(
        await first(
          connection,
          `SELECT count(*) FROM sessions WHERE id >= '${firstId}'`,
          tables.has('sessions'),
        ),
      ),
      ...(typeof newestAt === 'string' && { newestAt }),
      audit: tables.has('audit') ? await verify(connection) : { ok: true, rows: 0 },
      ...search,
      ...(tables.has('owner') && (await findOwner(connection, now, host))),
    };
  } finally {
    connection.close();
  }
}

async function first(connection: Connection, sql: string, isThere = true): Promise<unknown> {
  return isThere ? (await connection.values(sql))[0] : 0;
}

function verify(connection: Connection) {
  const reads: Pick<StoreReads, 'auditRows' | 'auditHead'> = createAuditReads(connection.db);
  return verifyAudit(reads);
}

async function findIndexed(connection: Connection): Promise<NonNullable<DatabaseFacts['search']>> {
  const [indexed, titles, last] = [
    await first(connection, 'SELECT position FROM search_state'),
    await first(connection, 'SELECT titles FROM search_state'),
    await first(connection, 'SELECT max(position) FROM events'),
  ].map(Number);
  return { indexed: indexed ?? 0, last: last ?? 0, titles: titles === 1 };
}

async function findOwner(
  connection: Connection,
  now: number,
  host: string,
): Promise<Pick<DatabaseFacts, 'owner'>> {
  const row = await readOwner(connection.db);
  if (!row) return {};
  const { pid, beat_at: beatAt } = row;
  const isAlive = isOwnerAlive(row, { host }, now);
  return { owner: { pid, host: row.host, held: row.held === 1, isAlive, beatAt } };
}
