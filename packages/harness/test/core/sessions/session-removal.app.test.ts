// Deleting a session, through the whole yard: what stops, what goes, what stays, and who hears of it.
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, PlacedEvent } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { openRaw } from '../../store/support.ts';
import { firstPending, openLedgerYard } from '../../support/ledger.ts';
import { answers, createOutsideEngine, says, writeTranscript } from '../../support/transcripts.ts';
import { converse, firstListed, memoryDirectory, openTestYard, readUntil } from '../../support/yard.ts';

const notThere = { code: 'session_not_found' };

function rowsOf(home: string, id: string): Record<string, number> {
  const raw = openRaw(join(home, 'toolyard.db'));
  const count = (sql: string) => Number(Object.values(raw.prepare(sql).get() ?? {})[0]);
  const tables = ['turns', 'tool_calls', 'checkpoints', 'entries', 'transcripts', 'approvals', 'questions'];
  const counts = tables.map((table) => [
    table,
    count(`SELECT count(*) FROM ${table} WHERE session_id = '${id}'`),
  ]);
  const events = count('SELECT count(*) FROM events');
  const index = count('SELECT count(*) FROM search_index_docsize');
  raw.close();
  return { ...Object.fromEntries(counts), events, index };
}

describe('a deleted session', () => {
  it('is gone with its log, turns, calls, questions, grants, outputs and what search knows of it', async () => {
    const { yard, home } = await openLedgerYard('output: { maxBytes: 1024 }');
    const client = yard.client();
    const { id } = await client.sessions.create({ title: 'findable by name' });
    const turn = client.sessions.stream(id, `pay ${'x'.repeat(3_000)}`);
    const read = Array.fromAsync(turn);
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow', scope: 'session' });
    await read;
    expect((await client.search({ q: 'findable' })).items).toHaveLength(1);
    expect(readdirSync(join(home, 'outputs'))).toEqual([id]);

    expect(await client.sessions.delete(id)).toEqual({ id });

    await expect(client.sessions.get(id)).rejects.toMatchObject(notThere);
    await expect(client.sessions.delete(id)).rejects.toMatchObject(notThere);
    await expect(client.sessions.send(id, 'hello?')).rejects.toMatchObject(notThere);
    await expect(client.sessions.export(id)).rejects.toMatchObject(notThere);
    expect((await client.sessions.list()).items).toEqual([]);
    expect((await client.approvals.list()).items).toEqual([]);
    expect((await client.grants.list()).items).toEqual([]);
    expect((await client.search({ q: 'findable' })).items).toEqual([]);
    expect(readdirSync(join(home, 'outputs'))).toEqual([]);
    expect(rowsOf(home, id)).toEqual({
      turns: 0,
      tool_calls: 0,
      checkpoints: 0,
      entries: 0,
      transcripts: 0,
      approvals: 0,
      questions: 0,
      events: 0,
      index: 0,
    });
  });

  it('leaves the evidence, and a row that says who deleted it', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const read = Array.fromAsync(client.sessions.stream(id, 'pay bob'));
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow' });
    await read;
    await client.sessions.delete(id);
    const rows = (await client.audit.list()).items;
    expect(rows.map(({ kind, change, sessionId }) => [kind, change, sessionId])).toEqual([
      ['decision', undefined, id],
      ['result', undefined, id],
      ['change', 'session_deleted', id],
    ]);
    expect(rows.at(-1)).toMatchObject({ subject: id, actor: { kind: 'person' } });
    expect(await client.audit.verify()).toMatchObject({ ok: true });
  });

  it('is interrupted first, and what was queued in it never runs', async () => {
    const said: string[] = [];
    const engine = createScriptedEngine({
      reply: ({ text }) => {
        said.push(text);
        return [{ text: 'begun' }, { untilAborted: true }];
      },
    });
    const yard = await openTestYard({ engine });
    const client = yard.client();
    const { id } = await client.sessions.create();
    await client.sessions.send(id, 'first');
    await client.sessions.send(id, 'second');
    const events = Array.fromAsync(client.sessions.events(id));
    await readUntil(yard, id, ({ type }) => type === 'text_delta');
    await client.sessions.delete(id);
    const seen = await events;
    expect(seen.slice(-2)).toMatchObject([
      { type: 'turn_end', data: { outcome: 'interrupted' } },
      { type: 'session_status', data: { status: 'closed', deleted: true } },
    ]);
    // Another turn, which has come as far: what was queued would have, too.
    const { id: other } = await client.sessions.create();
    await client.sessions.send(other, 'other');
    await readUntil(yard, other, ({ type }) => type === 'text_delta');
    expect(said).toEqual(['first', 'other']);
  });

  it('takes back what its calls ask a person', async () => {
    const { yard, ran } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const call = client.tools.call('mcp__suite__pay', { input: { to: 'bob' }, sessionId: id });
    const approval = await firstPending(yard);
    await client.sessions.delete(id);
    expect(await call).toMatchObject({ isError: true });
    await expect(client.approvals.answer(approval.id, { decision: 'allow' })).rejects.toMatchObject({
      code: 'approval_not_found',
    });
    expect(ran).toEqual([]);
  });

  it('ends its readers after a last event; others read on, and positions are not given twice', async () => {
    const yard = await openTestYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    const other = await client.sessions.create();
    const all: PlacedEvent[] = [];
    const opened = Promise.withResolvers<number>();
    const reading = (async () => {
      for await (const placed of client.events({ onOpen: opened.resolve })) {
        all.push(placed);
        if (placed.event.sessionId === other.id && placed.event.type === 'turn_end') return;
      }
    })();
    await opened.promise;
    await converse(yard, id, 'hello');
    const own: Event[] = [];
    const reader = (async () => {
      for await (const event of client.sessions.events(id)) own.push(event);
    })();
    await readUntil(yard, id, ({ type }) => type === 'turn_end');
    await client.sessions.delete(id);
    await reader;
    expect(own.at(-1)).toMatchObject({ type: 'session_status', data: { status: 'closed', deleted: true } });
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1));
    await converse(yard, other.id, 'still here');
    await reading;
    const positions = all.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
    expect(all.some(({ event }) => event.sessionId === id && event.seq === own.length)).toBe(true);
    const left: string[] = [];
    for await (const { event } of client.events({ after: 0 })) {
      left.push(event.sessionId);
      if (event.type === 'turn_end') break;
    }
    expect(new Set(left)).toEqual(new Set([other.id]));
  });

  it('does not keep others from writing when its own work is late', async () => {
    const hold = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const engine = createScriptedEngine();
    const yard = await openTestYard({
      engine: {
        ...engine,
        start: async () => ({
          close: async () => {},
          async prompt(_, host) {
            await new Promise((resolve) => host.signal.addEventListener('abort', resolve));
            await hold.promise;
            await host.emit({ type: 'text_delta', data: { text: 'too late' } });
            await host.checkpoint({ append: ['too late'] });
            late.resolve();
            return { outcome: 'completed' };
          },
        }),
      },
    });
    const client = yard.client();
    const { id } = await client.sessions.create();
    await client.sessions.send(id, 'hang');
    await readUntil(yard, id, ({ type }) => type === 'turn_start');
    await client.sessions.delete(id);
    hold.resolve();
    await late.promise;
    const next = await client.sessions.create({ title: 'after it' });
    expect(await client.sessions.change(next.id, { mode: 'plan' })).toMatchObject({ mode: 'plan' });
  }, 15_000);

  it('with a long log is cleared away behind it, a little at a time', async () => {
    const engine = createScriptedEngine({
      reply: () =>
        Array.from({ length: 1_500 }, (_, index) => ({ [index % 2 ? 'text' : 'thinking']: 'x' }) as never),
    });
    const yard = await openTestYard({ engine });
    const client = yard.client();
    const { id } = await client.sessions.create();
    await converse(yard, id, 'much');
    // Waits for what was just said.
    await client.search({ q: 'much' });
    await expect.poll(() => rowsOf(yard.home, id).index).toBeGreaterThan(700);
    await client.sessions.delete(id);
    await expect(client.sessions.get(id)).rejects.toMatchObject(notThere);
    await expect.poll(() => rowsOf(yard.home, id)).toMatchObject({ events: 0, index: 0 });
  });
});

describe('a deleted session that was made outside', () => {
  it('is not listed again, now or after a restart, and its file is as it was', async () => {
    const home = await memoryDirectory();
    const file = writeTranscript(home, [says('Hello.'), answers('Hi.')]);
    const open = () => openTestYard({ engine: createOutsideEngine(home), home });
    const yard = await open();
    await yard.client().sessions.delete((await firstListed(yard)).id);
    expect((await yard.client().sessions.list()).items).toEqual([]);
    expect(existsSync(file.path)).toBe(true);
    await yard.close();
    const again = await open();
    expect((await again.client().sessions.list()).items).toEqual([]);
    writeTranscript(home, [says('Another.')]);
    expect((await firstListed(again)).title).toBe('Another.');
    expect((await again.client().sessions.list()).items).toHaveLength(1);
  });

  it('is a session again once somebody goes on with it there', async () => {
    const home = await memoryDirectory();
    const file = writeTranscript(home, [says('Hello.'), answers('Hi.')]);
    const yard = await openTestYard({ engine: createOutsideEngine(home), home });
    const client = yard.client();
    const before = await firstListed(yard);
    await client.sessions.delete(before.id);
    // Touched, and nothing else.
    utimesSync(file.path, Date.now() / 1_000 + 5, Date.now() / 1_000 + 5);
    writeTranscript(home, [says('Another.')]);
    await firstListed(yard);
    const titles = async () => (await client.sessions.list()).items.map(({ title }) => title).sort();
    expect(await titles()).toEqual(['Another.']);
    file.append(says('Are you there?'), answers('I am.'));
    utimesSync(file.path, Date.now() / 1_000 + 10, Date.now() / 1_000 + 10);
    await expect.poll(titles).toEqual(['Another.', 'Hello.']);
    const after = (await client.sessions.list()).items.find(({ title }) => title === 'Hello.');
    expect(after).toMatchObject({ origin: 'outside' });
    expect(after?.id).not.toBe(before.id);
  });
});
