import { type Event, pause } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { createReaderList, defaultReaderLimits, wasDismissed } from '../../../src/http/server/readers.ts';
import { onlyTurn, toEventStream, toSessionMessage } from '../../../src/http/streams/events.ts';
import { converse, openTestYard, quiet } from '../../support/yard.ts';
import { ask, readStream } from '../asking.ts';

const turnId = (letter: string) => `trn_${letter.repeat(22)}`;
const event = (seq: number, draft: Pick<Event, 'type' | 'data'>) =>
  ({ sessionId: `ses_${'0'.repeat(22)}`, seq, at: '2026-01-01T00:00:00.000Z', ...draft }) as Event;

/** A logger that remembers what broke. */
function createMemory() {
  const errors: unknown[] = [];
  return { errors, logger: { ...quiet, error: (message: string) => void errors.push(message) } };
}

const shipped = {
  toMessage: toSessionMessage,
  about: {},
  logger: quiet,
  limits: defaultReaderLimits,
  disconnect() {},
};

describe('the stream of a log', () => {
  it('tells how to reconnect, names each event and its number, and forbids caching', async () => {
    const yard = await openTestYard({ engine: createScriptedEngine({ reply: () => [{ text: 'a\n\nb' }] }) });
    const { id } = await yard.client().sessions.create();
    const events = await converse(yard, id, 'hi');
    const response = await ask(yard, `/api/sessions/${id}/events`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('event: turn_end')) text += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    const blocks = events.map(
      (one) => `id: ${one.seq}\nevent: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`,
    );
    expect(text.startsWith(`retry: 1000\n\n${blocks.join('')}`)).toBe(true);
  });

  it('lets a reader that leaves go at once, whether it waited or stalled, and calls that no error', async () => {
    const { errors, logger } = createMemory();
    const yard = await openTestYard({
      engine: createScriptedEngine({ reply: () => [{ text: 'a' }] }),
      logger,
    });
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, 'hi');
    const stalled = await ask(yard, `/api/sessions/${id}/events`);
    const waiting = await ask(yard, `/api/sessions/${id}/events`);
    await readStream(waiting, ({ type }) => type === 'session_status');
    const head = await ask(yard, `/api/sessions/${id}/events`, { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, null]);
    expect(yard.activity().idleSince).toBeUndefined();
    await stalled.body?.cancel();
    await expect.poll(() => yard.activity().idleSince).toBeTypeOf('number');
    expect(errors).toEqual([]);
  });

  it('gives its place in the log back however it ends', async () => {
    const endings: string[] = [];
    async function* batches(name: string, fails = false) {
      try {
        yield [event(1, { type: 'text_delta', data: { text: 'a' } })];
        if (fails) throw new Error('secret detail');
        yield [event(2, { type: 'text_delta', data: { text: 'b' } })];
      } finally {
        endings.push(name);
      }
    }
    const { errors, logger } = createMemory();
    const readers = createReaderList();
    const open = (name: string, fails?: boolean) =>
      toEventStream({ ...shipped, batches: batches(name, fails), stop: readers.open({ id: 'me' }), logger });
    expect(await readStream(open('read to the end'))).toHaveLength(2);
    const left = open('left in the middle');
    await readStream(left, ({ seq }) => seq === 1);
    const broken = await open('broken', true).text();
    expect(broken).toMatch(/event: error\ndata: \{"error":\{"code":"internal"/);
    expect(broken).not.toContain('secret');
    expect(endings).toEqual(['read to the end', 'left in the middle', 'broken']);
    expect([readers.count(), errors]).toEqual([0, ['an event stream failed']]);
  });
});

describe('a reader that does not read', () => {
  it('H9: is dropped with a resync marker behind what it was sent, and cut off when it takes not even that', async () => {
    let left = 0;
    async function* batches() {
      try {
        for (let seq = 1; ; seq++) yield [event(seq, { type: 'text_delta', data: { text: 'a' } })];
      } finally {
        left++;
      }
    }
    const cut = Promise.withResolvers<void>();
    const readers = createReaderList();
    const response = toEventStream({
      ...shipped,
      batches: batches(),
      about: { sessionId: 'ses_1' },
      stop: readers.open({ id: 'me' }),
      limits: { stallMs: 30, lingerMs: 60 },
      disconnect: cut.resolve,
    });
    const reader = response.body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    const first = [await read(), await read()];
    expect(first.map((text) => text.slice(0, 6))).toEqual(['retry:', 'id: 1\n']);
    await cut.promise;
    expect([left, readers.count()]).toEqual([1, 0]);
    const rest = [await read(), await read(), await reader?.read()];
    expect(rest[0]).toContain('id: 2\n');
    expect(rest[1]).toBe('event: resync\ndata: {"sessionId":"ses_1"}\n\n');
    expect(rest[2]).toEqual({ done: true, value: undefined });
  });

  it('is waited for when there is nothing to read', async () => {
    const stop = new AbortController();
    async function* batches() {
      yield [event(1, { type: 'text_delta', data: { text: 'a' } })];
      await pause(10_000, stop.signal);
    }
    const limits = { stallMs: 30, lingerMs: 30 };
    const response = toEventStream({ ...shipped, batches: batches(), stop, limits });
    setTimeout(() => stop.abort(), 200);
    expect(await response.text()).not.toContain('resync');
  });
});

describe('the list of readers', () => {
  it('ends a stream with the token it was opened by', async () => {
    const readers = createReaderList();
    const expiresAt = new Date(Date.now() + 50).toISOString();
    const { signal } = readers.open({ id: 'me', expiresAt });
    const farAway = readers.open({ id: 'me', expiresAt: '2999-01-01T00:00:00.000Z' }).signal;
    expect(signal.aborted).toBe(false);
    await expect.poll(() => wasDismissed(signal)).toBe(true);
    expect([farAway.aborted, readers.count()]).toEqual([false, 1]);
  });

  it('ends everyone when the server stops, and whoever comes later', () => {
    const readers = createReaderList();
    const [first, second] = [readers.open({ id: 'me' }), readers.open({ id: 'me' })];
    first.abort();
    expect([readers.count(), second.signal.aborted]).toEqual([1, false]);
    readers.close();
    const third = readers.open({ id: 'me' });
    expect([readers.count(), second.signal.aborted, third.signal.aborted]).toEqual([0, true, true]);
  });

  it('ends one owner’s streams at once, whatever they have not read yet, and lets nobody of theirs in again', async () => {
    const endings: string[] = [];
    async function* forEver(name: string) {
      try {
        for (let seq = 1; ; seq++) yield [event(seq, { type: 'text_delta', data: { text: 'a' } })];
      } finally {
        endings.push(name);
      }
    }
    const readers = createReaderList();
    const open = (id: string) =>
      toEventStream({ ...shipped, batches: forEver(id), stop: readers.open({ id }) });
    const [theirs, mine] = [open('them'), open('me')];
    readers.dismiss('them');
    expect(await theirs.text()).toBe('retry: 1000\n\n');
    expect([readers.count(), endings]).toEqual([1, ['them']]);
    expect(await readStream(mine, ({ seq }) => seq === 9)).toHaveLength(9);
    expect(await open('them').text()).toBe('retry: 1000\n\n');
    expect(readers.count()).toBe(0);
  });
});

describe('one turn out of a log', () => {
  it('goes on past a call that somebody else makes in the session meanwhile', async () => {
    const [own, other] = [turnId('a'), turnId('b')];
    const log = [
      event(1, { type: 'user_message', data: { content: 'mine', turnId: own } }),
      event(2, { type: 'turn_start', data: { turnId: own } }),
      event(3, { type: 'turn_start', data: { turnId: other, toolCallId: 'theirs' } }),
      event(4, { type: 'tool_call_start', data: { toolCallId: 'theirs', tool: 'mcp__x__y' } }),
      event(5, { type: 'text_delta', data: { text: 'own' } }),
      event(6, { type: 'tool_result', data: { toolCallId: 'theirs', output: 1, isError: false } }),
      event(7, { type: 'turn_end', data: { turnId: other, outcome: 'completed', costUsd: 0 } }),
      event(8, { type: 'text_delta', data: { text: 'own' } }),
      event(9, { type: 'turn_end', data: { turnId: own, outcome: 'completed', costUsd: 0 } }),
    ];
    async function* batches() {
      yield log;
    }
    const events = (await Array.fromAsync(onlyTurn(batches(), own))).flat();
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 5, 8, 9]);
  });

  it('is its message and what lies between its start and its end', async () => {
    const [own, other] = [turnId('a'), turnId('b')];
    const log = [
      event(1, { type: 'turn_start', data: { turnId: other } }),
      event(2, { type: 'user_message', data: { content: 'mine', turnId: own } }),
      event(3, { type: 'text_delta', data: { text: 'other' } }),
      event(4, { type: 'turn_end', data: { turnId: other, outcome: 'completed', costUsd: 0 } }),
      event(5, { type: 'turn_start', data: { turnId: own } }),
      event(6, { type: 'user_message', data: { content: 'later', turnId: other } }),
      event(7, { type: 'text_delta', data: { text: 'own' } }),
      event(8, { type: 'turn_end', data: { turnId: own, outcome: 'completed', costUsd: 0 } }),
      event(9, { type: 'session_status', data: { status: 'idle' } }),
    ];
    for (const size of [1, 2, 3, 9]) {
      async function* batches() {
        for (let at = 0; at < log.length; at += size) yield log.slice(at, at + size);
      }
      const events = (await Array.fromAsync(onlyTurn(batches(), own))).flat();
      expect(events.map(({ seq }) => seq)).toEqual([2, 5, 7, 8]);
    }
  });
});
