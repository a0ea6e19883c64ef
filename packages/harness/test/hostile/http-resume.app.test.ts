// Cursors: wherever a reader says it stopped, it gets exactly the rest of the log or a refusal. Never a gap.
import { type Event, parseEvent, readSse } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import type { Yard } from '../../src/app.ts';
import { shareYard } from '../support/shared-yard.ts';
import { converse } from '../support/yard.ts';
import { codeOf } from './http-target.ts';

const engine = createScriptedEngine({
  reply: ({ text }) => [{ thinking: 'Hm.' }, { text: `You said ${text}.` }],
});

const openYard = shareYard({ engine });

/** A session that spoke twice, with its whole log. */
async function openSessions() {
  const yard = await openYard();
  const { id } = await yard.client().sessions.create();
  await converse(yard, id, 'one');
  await converse(yard, id, 'two');
  const { lastSeq } = await yard.client().sessions.get(id);
  return { yard, id, lastSeq, log: await readRest(yard, id, { lastSeq }) };
}

interface Ask {
  headers?: Record<string, string>;
  query?: string;
  /** How far the log goes. */
  lastSeq: number;
}

function ask(yard: Yard, id: string, { headers = {}, query = '' }: Omit<Ask, 'lastSeq'>): Promise<Response> {
  const url = `http://127.0.0.1/api/sessions/${id}/events${query}`;
  return yard.fetch(new Request(url, { headers: { authorization: `Bearer ${yard.token}`, ...headers } }));
}

/** The events a reader gets before the stream waits for new ones. */
async function readRest(yard: Yard, id: string, { lastSeq, ...asking }: Ask): Promise<Event[]> {
  const response = await ask(yard, id, asking);
  expect(response.status).toBe(200);
  const events: Event[] = [];
  if (!response.body) return events;
  for await (const { id: seq, event: type, data } of readSse(response.body)) {
    const event = parseEvent(JSON.parse(data));
    expect([seq, type]).toEqual([String(event.seq), event.type]);
    events.push(event);
    if (event.seq >= lastSeq) break;
  }
  return events;
}

const places = (cursor: string) => [
  { headers: { 'last-event-id': cursor } },
  { query: `?after=${encodeURIComponent(cursor)}` },
];

describe('H10: a cursor that names no event', () => {
  it.each([
    '-1',
    '-0',
    '+1',
    '1.0',
    '1.5',
    '1e1',
    '0x1',
    'one',
    'NaN',
    'Infinity',
    '1,2',
    '1 2',
    '99999',
    '9007199254740993',
    '1'.repeat(400),
    '__proto__',
    '../1',
  ])('H10: "%s" is refused in either place', async (cursor) => {
    const { yard, id } = await openSessions();
    for (const place of places(cursor)) {
      const response = await ask(yard, id, place);
      expect([response.status, await codeOf(response)]).toEqual([400, 'invalid_cursor']);
    }
  });

  it('H10: an empty one is none: the whole log follows', async () => {
    const { yard, id, lastSeq, log } = await openSessions();
    for (const place of places('')) expect(await readRest(yard, id, { ...place, lastSeq })).toEqual(log);
  });

  it('H10: another session’s is refused as soon as this log is shorter, so nobody waits for what never comes', async () => {
    const { yard, id, lastSeq } = await openSessions();
    const other = await yard.client().sessions.create();
    const far = { headers: { 'last-event-id': String(lastSeq) } };
    expect((await ask(yard, other.id, far)).status).toBe(400);
    expect((await ask(yard, id, { headers: { 'last-event-id': String(lastSeq + 1) } })).status).toBe(400);
  });

  it('H10: a query that is not one plain cursor is refused or read as its first', async () => {
    const { yard, id, lastSeq, log } = await openSessions();
    expect((await ask(yard, id, { query: '?after[]=1' })).status).toBe(400);
    expect((await ask(yard, id, { query: '?before=1' })).status).toBe(400);
    expect(await readRest(yard, id, { query: '?after=2&after=5', lastSeq })).toEqual(log.slice(2));
  });
});

describe('H10: a cursor that names an event', () => {
  it('H10: P2: yields exactly the rest, after every event and from either place', async () => {
    const { yard, id, lastSeq, log } = await openSessions();
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    for (let cursor = 0; cursor < lastSeq; cursor++) {
      for (const place of [...places(String(cursor)), ...places(`00${cursor}`)]) {
        expect(await readRest(yard, id, { ...place, lastSeq })).toEqual(log.slice(cursor));
      }
    }
  });

  it('H10: at the very end waits for what comes next', async () => {
    const { yard, id, lastSeq } = await openSessions();
    const rest = readRest(yard, id, { headers: { 'last-event-id': String(lastSeq) }, lastSeq: lastSeq + 1 });
    await yard.client().sessions.send(id, 'three');
    expect((await rest).map(({ seq, type }) => [seq, type])).toEqual([[lastSeq + 1, 'user_message']]);
  });

  it('H10: when both places name one, Last-Event-ID is the newer and wins', async () => {
    const { yard, id, lastSeq, log } = await openSessions();
    const both = { headers: { 'last-event-id': '5' }, query: '?after=2', lastSeq };
    expect(await readRest(yard, id, both)).toEqual(log.slice(5));
    const broken = { headers: { 'last-event-id': 'x' }, query: '?after=2' };
    expect((await ask(yard, id, broken)).status).toBe(400);
  });
});
