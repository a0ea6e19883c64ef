// A database damaged under a stopped server: the next start refuses it, or its readers are told over HTTP.
import { readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { readSse } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { type CrashHome, createCrashHome } from './crash-home.ts';
import { databaseOf } from './rows.ts';
import type { Ready } from './server-process.ts';

/** A stopped home with two sessions of one turn each. */
async function fillHome(): Promise<{ yard: CrashHome; damaged: string; other: string }> {
  const yard = await createCrashHome({ seed: 1 });
  const server = yard.spawn();
  const { client } = await server.ready;
  const { id: damaged } = await client.sessions.create({});
  const { id: other } = await client.sessions.create({});
  await client.sessions.send(damaged, 'steps one');
  await client.sessions.send(other, 'steps two');
  await yard.settle();
  await server.kill('SIGTERM');
  return { yard, damaged, other };
}

/** All that the line carries: numbers of events, or what the server says is wrong. */
async function readLine({ url, token }: Ready, sessionId: string, last: number): Promise<unknown[]> {
  const response = await fetch(new URL(`/api/sessions/${sessionId}/events`, url), {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  });
  const read: unknown[] = [];
  if (!response.body) return read;
  for await (const { id, event, data } of readSse(response.body)) {
    read.push(id === undefined ? { event, ...JSON.parse(data) } : Number(id));
    if (Number(id) === last) break;
  }
  return read;
}

function change(home: string, sql: string, ...values: SQLInputValue[]): void {
  const database = new DatabaseSync(databaseOf(home));
  expect(database.prepare(sql).run(...values)).toMatchObject({ changes: 1 });
  database.close();
}

const eventOf = 'session_number = (SELECT number FROM sessions WHERE id = ?) AND seq = ?';

test.each([
  ['the first event is gone', 1, `DELETE FROM events WHERE ${eventOf}`],
  ['an event in the middle is gone', 4, `DELETE FROM events WHERE ${eventOf}`],
  ['a message is not what was sent', 1, `UPDATE events SET data = upper(data) WHERE ${eventOf}`],
  ['an event is of another type', 4, `UPDATE events SET type = 'raw' WHERE ${eventOf}`],
])('P15: readers hear that %s', async (_, seq, sql) => {
  const { yard, damaged, other } = await fillHome();
  change(yard.home, sql, damaged, seq);
  const ready = await yard.spawn().ready;
  const { lastSeq } = await ready.client.sessions.get(other);

  const error = { code: 'database_corrupt', message: expect.any(String), data: { sessionId: damaged, seq } };
  expect(await readLine(ready, damaged, lastSeq)).toEqual([{ event: 'error', error }]);
  const all = Array.from({ length: lastSeq }, (_event, index) => index + 1);
  expect(await readLine(ready, other, lastSeq)).toEqual(all);
});

test('P15: a server does not start on a database with a damaged page, and leaves it as it is', async () => {
  const { yard } = await fillHome();
  const bytes = await readFile(databaseOf(yard.home));
  bytes.fill(0, bytes.length - 4_096);
  await writeFile(databaseOf(yard.home), bytes);
  const server = yard.spawn();
  await expect(server.ready).rejects.toMatchObject({ code: 'database_corrupt' });
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(await readFile(databaseOf(yard.home))).toEqual(bytes);
});
