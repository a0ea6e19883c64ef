// A disk that is full, locked or read-only: requests fail, nothing is half-stored or out of order, and all goes on by
// itself once the disk does.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Engine, type Event, pause, toText } from '@toolyard/sdk';
import { describe, expect, it, type onTestFinished, vi } from 'vitest';
import type { Yard } from '../../src/app.ts';
import { converse, isEndOf, openTestYard, readUntil } from '../support/yard.ts';
import { createFaultyDisk } from './faulty-disk.ts';

const waiting = { timeout: 15_000, interval: 5 };

/** Counts aloud to the number in the message, one number every few milliseconds. */
const counting: Engine = {
  id: 'counting',
  nativeTools: [],
  start: async () => ({
    async prompt(input, { emit, signal }) {
      const last = input.kind === 'message' ? Number(toText(input.content)) : 0;
      for (let number = 1; number <= last && !signal.aborted; number++) {
        void emit({ type: 'text_delta', data: { text: `${number} ` } });
        await pause(4, signal);
      }
      return { outcome: signal.aborted ? 'interrupted' : 'completed' };
    },
    close: async () => {},
  }),
};

async function openOnFaultyDisk(onFinished: typeof onTestFinished) {
  const disk = createFaultyDisk();
  const yard = await openTestYard({ engine: counting, wrapStore: disk.wrapStore }, onFinished);
  const client = yard.client();
  const { id } = await client.sessions.create();
  return { disk, yard, client, id };
}

function post(yard: Yard, path: string, body: unknown, headers: Record<string, string> = {}) {
  const all = { authorization: `Bearer ${yard.token}`, 'content-type': 'application/json', ...headers };
  const init = { method: 'POST', headers: all, body: JSON.stringify(body) };
  return yard.fetch(new Request(`http://127.0.0.1/api/sessions${path}`, init));
}

/** All the rows a request could have written: sessions, and a session's log. */
async function rowsOf(yard: Yard, id: string) {
  const { items } = await yard.client().sessions.list();
  const { lastSeq } = await yard.client().sessions.get(id);
  return { items, log: lastSeq === 0 ? [] : await readUntil(yard, id, ({ seq }) => seq === lastSeq) };
}

const spoken = (events: readonly Event[]) =>
  events.map((event) => (event.type === 'text_delta' ? event.data.text : '')).join('');
const counted = (last: number) => Array.from({ length: last }, (_, index) => `${index + 1} `).join('');
const messages = (events: readonly Event[]) => events.filter(({ type }) => type === 'user_message').length;
const isGapFree = (events: readonly Event[]) => events.every(({ seq }, index) => seq === index + 1);

// Most of each is waiting, for what the server itself waits for.
describe.concurrent('C7: while the disk fails', () => {
  it.for(['disk_full', 'busy', 'read_only'])(
    'C7: %s: what would write answers 503 and leaves nothing behind; later it is as if it had never been',
    async (reason, { onTestFinished }) => {
      const { disk, yard, client, id } = await openOnFaultyDisk(onTestFinished);
      await converse(yard, id, '3');
      const before = await rowsOf(yard, id);
      disk.fail({ reason });
      const key = { 'idempotency-key': 'once' };
      const refused = await Promise.all([
        post(yard, '', {}),
        post(yard, '', { title: 'half' }),
        post(yard, `/${id}/messages`, { content: '2' }),
        post(yard, `/${id}/messages`, { content: '2' }, key),
        post(yard, `/${id}/messages`, { content: '2' }, { accept: 'text/event-stream' }),
      ]);
      for (const response of refused) {
        expect(response.status).toBe(503);
        expect(await response.json()).toMatchObject({ error: { code: 'storage_failed', data: { reason } } });
      }
      expect(await rowsOf(yard, id)).toEqual(before);
      disk.heal();
      expect((await post(yard, `/${id}/messages`, { content: '2' }, key)).status).toBe(202);
      const { turnId } = await client.sessions.send(id, '2', { idempotencyKey: 'once' });
      const events = await readUntil(yard, id, isEndOf(turnId));
      expect([messages(events), isGapFree(events), spoken(events)]).toEqual([
        2,
        true,
        counted(3) + counted(2),
      ]);
    },
  );

  it('C7: a running turn ends as failed once the disk is back; nothing is lost or out of order; the queue goes on', async ({
    onTestFinished,
  }) => {
    const { disk, yard, client, id } = await openOnFaultyDisk(onTestFinished);
    const [first, second] = [await client.sessions.send(id, '500'), await client.sessions.send(id, '5')];
    const reading = readUntil(yard, id, isEndOf(second.turnId));
    await readUntil(yard, id, (event) => event.type === 'text_delta');
    disk.fail({ afterMs: 40 });
    await vi.waitUntil(() => disk.failures() > 2, waiting);
    const stuck = await client.sessions.get(id);
    expect((await post(yard, `/${id}/messages`, { content: '2' })).status).toBe(503);
    disk.heal();
    const events = await reading;
    const end = events.findIndex(isEndOf(first.turnId));
    expect(events[end]?.data).toMatchObject({ outcome: 'failed', error: { code: 'storage_failed' } });
    expect(events[end]?.seq).toBeGreaterThan(stuck.lastSeq);
    const said = spoken(events.slice(0, end));
    expect(said).toBe(counted(said.trim().split(' ').length));
    expect([spoken(events.slice(end)), isGapFree(events)]).toEqual([counted(5), true]);
    const later = await converse(yard, id, '2');
    expect(later.at(-1)?.data).toMatchObject({ outcome: 'completed' });
  });

  it('C7: P2: commits that fail now and then put nothing out of order, whichever they are', async ({
    onTestFinished,
  }) => {
    const failNowAndThen = async (count: number, afterMs: number) => {
      const { disk, yard, client, id } = await openOnFaultyDisk(onTestFinished);
      const sent = await Promise.all(['80', '80', '80'].map((content) => client.sessions.send(id, content)));
      for (let round = 0; round < 8; round++) {
        await pause(Math.random() * 60);
        disk.failNext(count, afterMs);
      }
      const events = await readUntil(yard, id, isEndOf(sent.at(-1)?.turnId ?? ''));
      expect(disk.failures()).toBeGreaterThan(0);
      expect(isGapFree(events)).toBe(true);
      const turns = spoken(events).split(/(?=\b1 )/);
      for (const said of turns) expect(said).toBe(counted(said.trim().split(' ').length));
    };
    await Promise.all([failNowAndThen(1, 40), failNowAndThen(2, 20), failNowAndThen(3, 0)]);
  });

  it('C7: a queue that cannot be read answers 503 to those who ask, and goes on by itself', async ({
    onTestFinished,
  }) => {
    const { disk, yard, client, id } = await openOnFaultyDisk(onTestFinished);
    await client.sessions.send(id, '20');
    const { turnId } = await client.sessions.send(id, '3');
    disk.failReads();
    await vi.waitUntil(() => disk.failedReads() > 2, waiting);
    await expect(client.sessions.get(id)).rejects.toMatchObject({ code: 'storage_failed' });
    disk.heal();
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect([isGapFree(events), spoken(events).endsWith(counted(3))]).toEqual([true, true]);
  });

  it('C7: an interrupt is answered all the same, and the turn ends when the disk is back', async ({
    onTestFinished,
  }) => {
    const { disk, yard, client, id } = await openOnFaultyDisk(onTestFinished);
    const { turnId } = await client.sessions.send(id, '10000');
    await readUntil(yard, id, (event) => event.type === 'text_delta');
    disk.fail();
    const started = performance.now();
    const response = await post(yard, `/${id}/interrupt`, {});
    expect([response.status, performance.now() - started < 6_000]).toEqual([503, true]);
    disk.heal();
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(events.at(-1)?.data).not.toMatchObject({ outcome: 'completed' });
  });

  it('C7: the yard still closes, and the next start ends what could not be ended', async ({
    onTestFinished,
  }) => {
    const { disk, yard, client, id } = await openOnFaultyDisk(onTestFinished);
    const { turnId } = await client.sessions.send(id, '10000');
    await readUntil(yard, id, (event) => event.type === 'text_delta');
    disk.fail();
    const started = performance.now();
    await yard.close();
    expect(performance.now() - started).toBeLessThan(6_000);
    const next = await openTestYard({ home: yard.home, engine: counting }, onTestFinished);
    const events = await readUntil(next, id, isEndOf(turnId));
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'failed', error: { code: 'restarted' } });
    expect(isGapFree(events)).toBe(true);
  });
});

/** Another program's connection to the yard's database. */
function openOutside(home: string, onFinished: typeof onTestFinished): DatabaseSync {
  const outside = new DatabaseSync(join(home, 'toolyard.db'));
  onFinished(() => outside.close());
  return outside;
}

describe.concurrent('C7: for real', () => {
  it('C7: a database that another program locks fails requests, not the server, until it lets go', async ({
    onTestFinished,
  }) => {
    const yard = await openTestYard({ engine: counting }, onTestFinished);
    const { id } = await yard.client().sessions.create();
    const before = await rowsOf(yard, id);
    const outside = openOutside(yard.home, onTestFinished);
    outside.exec('BEGIN IMMEDIATE');
    const refused = post(yard, `/${id}/messages`, { content: '2' });
    // The message now waits for the lock; nothing tells when that has begun.
    await pause(50);
    const started = performance.now();
    expect(await rowsOf(yard, id)).toEqual(before);
    expect(performance.now() - started).toBeLessThan(3_000);
    expect((await refused).status).toBe(503);
    outside.exec('ROLLBACK');
    expect(await rowsOf(yard, id)).toEqual(before);
    const events = await converse(yard, id, '2');
    expect([messages(events), isGapFree(events), spoken(events)]).toEqual([1, true, counted(2)]);
  });

  it('C7: a database that may not grow fails requests until there is room, and keeps what it acknowledged', async ({
    onTestFinished,
  }) => {
    const yard = await openTestYard({ engine: counting, maxPages: 100 }, onTestFinished);
    const client = yard.client();
    const { id } = await client.sessions.create();
    const outside = openOutside(yard.home, onTestFinished);
    outside.exec('CREATE TABLE ballast (bytes); INSERT INTO ballast VALUES (zeroblob(250000))');
    const content = 'x'.repeat(20_000);
    const taken: string[] = [];
    for (let sent = 0; sent < 20; sent++) {
      const response = await post(yard, `/${id}/messages`, { content });
      expect([202, 503]).toContain(response.status);
      if (response.status === 202) taken.push((await response.json()).turnId);
    }
    expect(taken.length).toBeLessThan(20);
    outside.exec('DROP TABLE ballast');
    const { turnId } = await client.sessions.send(id, '3');
    const events = await readUntil(yard, id, isEndOf(turnId));
    const acknowledged = events.flatMap((event) =>
      event.type === 'user_message' && event.data.turnId !== turnId ? [event.data] : [],
    );
    expect(acknowledged).toEqual(taken.map((one) => ({ content, turnId: one })));
    expect(isGapFree(events)).toBe(true);
  });
});
