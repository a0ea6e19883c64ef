// The one file that knows node:sqlite: opens connections, sets their pragmas, runs statements, translates failures.

import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pause, ToolyardError } from '@toolyard/sdk';
import type { Kysely, QueryResult } from 'kysely';
import { createKysely, type Statement } from './prepare.ts';
import { isBusy, isCorrupt, toStoreError } from './sqlite-errors.ts';
import type { Tables } from './tables.ts';

export interface Connection {
  readonly path: string;
  readonly db: Kysely<Tables>;
  /** The first column of every row of a pragma or a query without parameters. */
  values(sql: string): Promise<unknown[]>;
  close(): void;
}

/** The only connection that writes. Statements outside a transaction are refused. */
export interface Writer extends Connection {
  /** Takes the write lock, waiting for it until `deadline` without stopping the event loop. */
  begin(deadline: number): Promise<void>;
  exec(sql: string): void;
  /** Refuses when any statement since `begin` has failed, even if its caller went on. */
  commit(): void;
  rollback(): void;
  /**
   * Answers a query that only reads from pages this connection still holds, which the other would have to read again
   * after each commit. Does nothing while a transaction is open: its rows are not committed yet.
   */
  read(query: Statement): QueryResult<unknown> | undefined;
}

export interface WriterOptions {
  busyTimeoutMs: number;
  maxPages?: number;
}

const maxCachedStatements = 200;
/** Between two steps others get the disk. */
const pagesPerStep = 512;

/** Sees committed rows only and cannot write. Asks `first` before it reads by itself. */
export function openReader(
  path: string,
  busyTimeoutMs: number,
  first: Writer['read'] = () => undefined,
): Connection {
  const database = openDatabase(path, { readOnly: true });
  const run = createRun(database, path);
  return {
    ...toConnection(database, path, busyTimeoutMs),
    db: createKysely((query) =>
      retryWhileBusy(() => first(query) ?? run(query), performance.now() + busyTimeoutMs),
    ),
  };
}

export async function openWriter(path: string, options: WriterOptions): Promise<Writer> {
  const database = openDatabase(path, { readOnly: false });
  try {
    await retryWhileBusy(
      () => setPragmas(database, path, options),
      performance.now() + options.busyTimeoutMs,
    );
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  return toWriter(database, path, options.busyTimeoutMs);
}

function toWriter(database: DatabaseSync, path: string, busyTimeoutMs: number): Writer {
  const run = createRun(database, path);
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  let failure: unknown;
  const inTransaction = <T>(action: () => T): T => {
    if (failure !== undefined) throw failure;
    if (!database.isTransaction)
      throw new ToolyardError('internal', 'A write was left running after its commit.');
    try {
      return action();
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    }
  };
  const exec = (sql: string) => translating(path, () => database.exec(sql));
  const rollback = () => {
    // SQLite has already rolled back by itself after some failures, a full disk for one.
    if (database.isTransaction) exec('ROLLBACK');
  };
  return {
    ...toConnection(database, path, busyTimeoutMs),
    db: createKysely(async (query) => inTransaction(() => run(query))),
    async begin(deadline) {
      rollback();
      await retryWhileBusy(() => translating(path, () => begin.run()), deadline);
      failure = undefined;
    },
    exec: (sql) => inTransaction(() => exec(sql)),
    commit: () => inTransaction(() => void translating(path, () => commit.run())),
    rollback,
    read(query) {
      const mayRead = database.isOpen && !database.isTransaction && query.sql.startsWith('select ');
      return mayRead ? run(query) : undefined;
    },
  };
}

function toConnection(database: DatabaseSync, path: string, busyTimeoutMs: number): Omit<Connection, 'db'> {
  const values = (sql: string) => translating(path, () => firstColumn(database, sql));
  return {
    path,
    values: (sql) => retryWhileBusy(() => values(sql), performance.now() + busyTimeoutMs),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/**
 * Copies a database as it is at one moment into a new file, while others go on writing. A transaction of its own holds
 * that moment still; without it SQLite would begin again after every commit of theirs.
 */
export async function copyDatabase(path: string, target: string): Promise<void> {
  const source = openDatabase(path, { readOnly: true });
  let file: number | undefined;
  try {
    source.exec('BEGIN; SELECT 1 FROM sqlite_schema');
    const progress = () => {
      file ??= openSync(target, 'r');
      // A little at a time: the commit of a writer waits for all that the disk still owes.
      fdatasyncSync(file);
    };
    await backup(source, target, { rate: pagesPerStep, progress });
  } catch (thrown) {
    const error = toStoreError(thrown, path);
    // Only damage is the source's; what cannot be written is the target.
    throw isCorrupt(error) ? error : toStoreError(thrown, target);
  } finally {
    if (file !== undefined) closeSync(file);
    source.close();
  }
}

/** Holds a lock on a file until it is closed or its process is gone. The file itself stays empty. */
export async function lockFile(
  path: string,
  kind: 'shared' | 'exclusive',
  busyTimeoutMs: number,
): Promise<{ release(): void }> {
  const database = openDatabase(path, { readOnly: false });
  const take = kind === 'shared' ? 'BEGIN; SELECT 1 FROM sqlite_schema' : 'BEGIN EXCLUSIVE';
  const attempt = () => {
    if (database.isTransaction) database.exec('ROLLBACK');
    translating(path, () => database.exec(take));
  };
  try {
    await retryWhileBusy(attempt, performance.now() + busyTimeoutMs);
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  return { release: () => database.close() };
}

/** The first column of every row that a new database gives once it has run the statements. */
export function valuesAfter(statements: readonly string[], sql: string): unknown[] {
  const database = new DatabaseSync(':memory:');
  try {
    for (const statement of statements) database.exec(statement);
    return firstColumn(database, sql);
  } finally {
    database.close();
  }
}

function firstColumn(database: DatabaseSync, sql: string): unknown[] {
  const rows = database.prepare(sql).all();
  return rows.map((row) => Object.values(row)[0]);
}

function openDatabase(path: string, { readOnly }: { readOnly: boolean }): DatabaseSync {
  return translating(path, () => {
    const database = new DatabaseSync(path, { readOnly, timeout: 0 });
    database.exec('PRAGMA cell_size_check = ON');
    return database;
  });
}

function setPragmas(database: DatabaseSync, path: string, { maxPages }: WriterOptions): void {
  translating(path, () => {
    // Counts for a new file alone, and must come first: what is deleted can then be given back to the disk.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
    if (mode !== 'wal') {
      throw new ToolyardError(
        'storage_failed',
        `The database ${path} is on a file system without shared memory (SQLite chose "${mode}"). Move it to a local disk.`,
      );
    }
    database.exec(
      'PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864',
    );
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
  });
}

function createRun(database: DatabaseSync, path: string): (query: Statement) => QueryResult<unknown> {
  const prepare = createStatements(database);
  return ({ sql, parameters }) =>
    translating(path, () => {
      const { statement, reader } = prepare(sql);
      // Kysely's parameters are unknown to the compiler; SQLite itself refuses what it cannot bind.
      const values = parameters as SQLInputValue[];
      if (reader) return { rows: statement.all(...values) };
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    });
}

interface Prepared {
  statement: StatementSync;
  reader: boolean;
}

/** Preparing costs more than running: the newest statements are kept. */
function createStatements(database: DatabaseSync): (sql: string) => Prepared {
  const cache = new Map<string, Prepared>();
  return (sql) => {
    const known = cache.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const prepared = { statement, reader: statement.columns().length > 0 };
    for (const oldest of cache.keys()) {
      if (cache.size < maxCachedStatements) break;
      cache.delete(oldest);
    }
    cache.set(sql, prepared);
    return prepared;
  };
}

function translating<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (thrown) {
    throw toStoreError(thrown, path);
  }
}

/** How long a locked database is waited for before a request fails. */
export const defaultBusyTimeoutMs = 5_000;
const maxPauseMs = 25;

/** Waits for a locked database without blocking the event loop: tries again while it is busy, until `deadline` of `performance.now()`. */
async function retryWhileBusy<T>(action: () => T, deadline: number): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return action();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= deadline) throw thrown;
    }
    await pause(pauseMs);
  }
}

/** Commits what `body` did, or rolls it back and throws. */
export async function inTransaction<T>(
  writer: Writer,
  busyTimeoutMs: number,
  body: () => Promise<T>,
): Promise<T> {
  await writer.begin(performance.now() + busyTimeoutMs);
  try {
    const value = await body();
    writer.commit();
    return value;
  } catch (thrown) {
    writer.rollback();
    throw thrown;
  }
}
