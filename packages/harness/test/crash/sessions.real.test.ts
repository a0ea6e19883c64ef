// Kills the server while a session is deleted or forked, at each commit in turn: afterwards all of it is there, or nothing.
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Client, createClient, type Event, pause } from '@toolyard/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { databaseOf } from './rows.ts';
import { spawnServer } from './server-process.ts';

let folder: string;
let sessionId: string;
let before: { log: string; rows: Record<string, number> };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolyard-crash-sessions-'));
  const { client, end } = await open('base');
  sessionId = (await client.sessions.create({ title: 'A story', mode: 'bypassPermissions' })).id;
  for (const words of ['talk of the harbour', 'call one', 'steps two', 'talk again'])
    await say(client, words);
  const log = await logOf(client, sessionId);
  while ((await client.search({ q: 'harbour' })).items.length < 2) await pause(20);
  await end('SIGTERM');
  before = { log, rows: rowsOf('base') };
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function open(name: string, killAt?: { point: CrashPoint; occurrence: number }) {
  const order = { home: join(folder, name), ledger: join(folder, `${name}-ledger`) };
  const server = spawnServer({ ...order, ...(killAt && { killAt }) });
  const { url, token } = await server.ready;
  return { client: createClient({ baseUrl: url, token }), exited: server.exited, end: server.kill };
}

async function say(client: Client, words: string): Promise<void> {
  for await (const event of client.sessions.stream(sessionId, words)) void event;
}

/** What was said, without what is made anew in a copy. */
async function logOf(client: Client, id: string): Promise<string> {
  const { lastSeq } = await client.sessions.get(id);
  const events: Event[] = [];
  for await (const event of client.sessions.events(id)) {
    events.push(event);
    if (event.seq >= lastSeq) break;
  }
  return events.map((event) => (event.type === 'text_delta' ? event.data.text : '')).join('');
}

const tables = [
  'events',
  'turns',
  'tool_calls',
  'entries',
  'checkpoints',
  'sessions',
  'search_index_docsize',
];

function rowsOf(name: string): Record<string, number> {
  const raw = new DatabaseSync(databaseOf(join(folder, name)));
  try {
    const count = (table: string) => Number(raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    return Object.fromEntries(tables.map((table) => [table, count(table)]));
  } finally {
    raw.close();
  }
}

/** Works on a copy of the home until it is killed or has ended; then starts it again in peace. */
async function killWhile(point: CrashPoint, occurrence: number, work: (client: Client) => Promise<unknown>) {
  const name = `${point}-${occurrence}-${Math.random().toString(36).slice(2)}`;
  await cp(join(folder, 'base'), join(folder, name), { recursive: true });
  const killed = await open(name, { point, occurrence }).catch(() => undefined);
  const done = await killed?.client
    .health()
    .then(() => work(killed.client))
    .then(
      () => true,
      () => false,
    );
  await killed?.end('SIGKILL');
  const again = await open(name);
  return { name, done: done ?? false, ...again };
}

/** At each commit in turn, until one is not reached any more. What was seen of each outcome. */
async function killAtEach(
  last: CrashPoint,
  work: (client: Client) => Promise<unknown>,
  look: (left: Awaited<ReturnType<typeof killWhile>>) => Promise<string>,
): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let occurrence = 1; occurrence < 12; occurrence++) {
    const left = await killWhile('commit.written', occurrence, work);
    seen.add(await look(left));
    if (left.done) break;
  }
  const after = await killWhile(last, 1, work);
  seen.add(`${await look(after)} after ${last}`);
  return seen;
}

test('P1: a session that is being deleted is there whole or not at all, whenever the server is killed', async () => {
  const nothing = Object.fromEntries(tables.map((table) => [table, 0]));
  const seen = await killAtEach(
    'session.deleted',
    (client) => client.sessions.delete(sessionId),
    async ({ name, done, client, end }) => {
      const isThere = (await client.sessions.list()).items.length > 0;
      if (isThere) {
        expect(done).toBe(false);
        expect(await logOf(client, sessionId)).toBe(before.log);
        expect((await client.search({ q: 'harbour' })).items).toHaveLength(2);
      } else {
        await expect(client.sessions.get(sessionId)).rejects.toMatchObject({ code: 'session_not_found' });
        expect(await readdir(join(folder, name, 'outputs')).catch(() => [])).toEqual([]);
      }
      await end('SIGTERM');
      expect(rowsOf(name)).toEqual(isThere ? before.rows : nothing);
      return isThere ? 'there' : 'gone';
    },
  );
  expect(seen).toEqual(new Set(['there', 'gone', 'gone after session.deleted']));
}, 60_000);

test('P1: a fork that is being made is there whole or not at all, whenever the server is killed', async () => {
  const seen = await killAtEach(
    'session.copied',
    (client) => client.sessions.fork(sessionId),
    async ({ name, done, client, end }) => {
      const forks = (await client.sessions.list()).items.filter(({ id }) => id !== sessionId);
      if (done) expect(forks).toHaveLength(1);
      for (const fork of forks) expect(await logOf(client, fork.id)).toBe(before.log);
      expect(await logOf(client, sessionId)).toBe(before.log);
      await end('SIGTERM');
      const copies = 1 + forks.length;
      for (const table of ['sessions', 'turns', 'tool_calls', 'entries'] as const) {
        expect(rowsOf(name)[table]).toBe(Number(before.rows[table]) * copies);
      }
      return forks.length > 0 ? 'there' : 'not there';
    },
  );
  expect(seen).toEqual(new Set(['there', 'not there', 'there after session.copied']));
}, 60_000);
