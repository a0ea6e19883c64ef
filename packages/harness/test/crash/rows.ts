// Looks at a home's rows and ledger from outside, without the product's help.
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CallRow, Effect, Rows, TurnRow } from './history.ts';

export function databaseOf(home: string): string {
  return join(home, 'toolyard.db');
}

/** The rows of a database that may be in use. */
export function readRows(path: string): Rows {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'turns'").get())
      return { turns: [], calls: [] };
    const turns = database.prepare(
      `SELECT id, session_id AS sessionId, state, retry_of AS retryOf, error ->> 'code' AS code FROM turns
       ORDER BY position`,
    );
    const calls = database.prepare(
      'SELECT turn_id AS turnId, call_id AS callId, session_id AS sessionId, state FROM tool_calls',
    );
    // The columns are named and typed by the statements above.
    return { turns: turns.all() as unknown as TurnRow[], calls: calls.all() as unknown as CallRow[] };
  } finally {
    database.close();
  }
}

export function countOpenTurns(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const count = "SELECT count(*) AS open FROM turns WHERE state IN ('queued', 'running')";
    return Number(database.prepare(count).get()?.open);
  } finally {
    database.close();
  }
}

/** The rows as a kill left them. */
export function readKilledRows(home: string): Promise<Rows> {
  return lookAtKilled(home, readRows);
}

/** Looks at a copy: opening the file itself would already repair it. */
export async function lookAtKilled<T>(home: string, read: (path: string) => T): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-killed-'));
  try {
    const copy = databaseOf(folder);
    await copyFile(databaseOf(home), copy);
    await copyFile(`${databaseOf(home)}-wal`, `${copy}-wal`).catch(() => {});
    return read(copy);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function readLedger(path: string): Promise<Effect[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Effect => JSON.parse(line));
}
