// The WebSocket as a client sees it: subscriptions and requests over one line.
import { type Event, pause, type ServerFrame, type Session } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import type { YardOptions } from '../../../src/app.ts';
import { converse, logOf, openTestYard } from '../../support/yard.ts';
import { listenAt, type RawSocket } from '../raw-socket.ts';

const asking = createScriptedEngine({
  reply: ({ text }) =>
    text === 'wait' ? [{ untilAborted: true }] : [{ text: 'a' }, { text: `You said ${text}.` }],
});

async function openYardWithSocket(options: Partial<YardOptions> = {}) {
  const yard = await openTestYard({ engine: asking, ...options });
  const { open, port } = await listenAt(yard);
  return { yard, client: yard.client(), socket: await open(), open, port };
}

function eventsOf({ frames }: RawSocket, session?: Pick<Session, 'id'>): Event[] {
  const events = frames.flatMap((frame) => (frame.type === 'event' ? [frame.event] : []));
  return session ? events.filter(({ sessionId }) => sessionId === session.id) : events;
}

const eventFramesOf = ({ frames }: RawSocket) =>
  frames.flatMap((frame) => (frame.type === 'event' ? [frame] : []));

const isEnd = (frame: ServerFrame) => frame.type === 'event' && frame.event.type === 'turn_end';

describe('a subscription', () => {
  it('P2: to a session gives its log from the start, or past a number, then what comes, in order', async () => {
    const { yard, client, socket, open } = await openYardWithSocket();
    const session = await client.sessions.create();
    await converse(yard, session.id, 'one');
    expect(await socket.ask({ type: 'subscribe', sessionId: session.id })).toEqual({
      type: 'ack',
      ref: 'own-1',
      sessionId: session.id,
      after: 0,
    });
    const late = await open();
    await late.ask({ type: 'subscribe', sessionId: session.id, after: 3 });
    const log = await converse(yard, session.id, 'two');
    const last = log.at(-1)?.seq ?? 0;
    for (const [reader, after] of [
      [socket, 0],
      [late, 3],
    ] as const) {
      await reader.find((frame) => frame.type === 'event' && frame.event.seq === last);
      expect(eventsOf(reader).slice(0, last - after)).toEqual(log.slice(after));
    }
  });

  it('P2: in batches gives the same, many to a frame', async () => {
    const { yard, client, socket } = await openYardWithSocket();
    const session = await client.sessions.create();
    const log = await converse(yard, session.id, 'one');
    await socket.ask({ type: 'subscribe', sessionId: session.id, batch: true });
    const more = await converse(yard, session.id, 'two');
    const batches = () => socket.frames.flatMap((frame) => (frame.type === 'events' ? [frame.events] : []));
    const all = () =>
      socket.frames.flatMap((frame) =>
        frame.type === 'events' ? frame.events : frame.type === 'event' ? [frame.event] : [],
      );
    await expect.poll(() => all().length).toBeGreaterThanOrEqual(more.length);
    expect(all().slice(0, more.length)).toEqual(more);
    expect(batches()[0]?.slice(0, log.length)).toEqual(log);
  });

  it('P2: to all sessions gives what comes, each once, with positions to go on from', async () => {
    const { yard, client, socket, open } = await openYardWithSocket();
    const sessions = [await client.sessions.create(), await client.sessions.create()] as const;
    await converse(yard, sessions[0].id, 'before');
    const { after } = Object(await socket.ask({ type: 'subscribe' }));
    expect(after).toBeGreaterThan(5);
    const seen = await Promise.all(sessions.map(({ id }) => converse(yard, id, 'now')));
    const logs = await Promise.all(sessions.map(({ id }) => logOf(yard, id)));
    await expect.poll(() => eventFramesOf(socket).length).toBe(logs.flat().length - after);
    const frames = eventFramesOf(socket);
    const positions = frames.map(({ position }) => position ?? 0);
    expect(positions).toEqual(positions.map((_, index) => after + index + 1));
    expect(eventsOf(socket, sessions[1]).slice(0, seen[1]?.length)).toEqual(seen[1]);

    const again = await open();
    await again.ask({ type: 'subscribe', after: after + 3 });
    await expect.poll(() => eventFramesOf(again).length).toBe(frames.length - 3);
    expect(eventFramesOf(again)).toEqual(frames.slice(3));
    const whole = await open();
    await whole.ask({ type: 'subscribe', after: 0 });
    await whole.find((frame) => frame.type === 'event' && frame.position === positions.at(-1));
    expect(eventsOf(whole)).toHaveLength(positions.at(-1) ?? 0);
  });

  it('P2: has begun before anything that was sent after it is dealt with', async () => {
    const { client, socket } = await openYardWithSocket({
      wrapStore: (store) => ({
        ...store,
        reads: { ...store.reads, lastPosition: () => pause(50).then(store.reads.lastPosition) },
      }),
    });
    const { id } = await client.sessions.create();
    socket.send({ type: 'subscribe' });
    socket.send({ type: 'message', sessionId: id, content: 'now' });
    await socket.find(isEnd);
    expect(eventsOf(socket)[0]).toMatchObject({ type: 'user_message', data: { content: 'now' } });
  });

  it('takes the place of an earlier one to the same session, and ends when it is told to', async () => {
    const { yard, client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    const log = await converse(yard, id, 'one');
    await socket.ask({ type: 'subscribe', sessionId: id });
    await socket.find(isEnd);
    socket.frames.length = 0;
    await socket.ask({ type: 'subscribe', sessionId: id, after: 2 });
    await socket.find(isEnd);
    expect(eventsOf(socket).slice(0, log.length - 2)).toEqual(log.slice(2));
    expect(await socket.ask({ type: 'unsubscribe', sessionId: id })).toMatchObject({ type: 'ack' });
    socket.frames.length = 0;
    await converse(yard, id, 'two');
    await pause(50);
    expect(socket.frames).toEqual([]);
  });

  it('to a place that does not exist is refused, and so is an unknown session', async () => {
    const { client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    const codes = [];
    for (const wanted of [
      { sessionId: id, after: 1 },
      { after: 1 },
      { sessionId: `ses_${'9'.repeat(22)}` },
      { sessionId: '../x' },
      { sessionId: id, after: -1 },
    ]) {
      codes.push(Object(await socket.ask({ type: 'subscribe', ...wanted })).error.code);
    }
    expect(codes).toEqual([
      'invalid_cursor',
      'invalid_cursor',
      'session_not_found',
      'invalid_request',
      'invalid_request',
    ]);
  });
});

describe('a socket of a server that stops', () => {
  it('sees the end of what it reads, then is told to go', async () => {
    const { yard, client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    await socket.ask({ type: 'subscribe', sessionId: id });
    await socket.ask({ type: 'message', sessionId: id, content: 'wait' });
    await socket.find((frame) => frame.type === 'event' && frame.event.type === 'turn_start');
    expect(yard.activity().idleSince).toBeUndefined();
    await yard.close();
    expect(await socket.ended).toEqual({ code: 1001, reason: 'the server stops' });
    expect(eventsOf(socket).at(-2)).toMatchObject({ type: 'turn_end', data: { outcome: 'failed' } });
    expect(eventsOf(socket).map(({ seq }) => seq)).toEqual(eventsOf(socket).map((_, index) => index + 1));
  });

  it('holds nothing up when nobody reads it', async () => {
    const { yard, client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    await socket.ask({ type: 'subscribe', sessionId: id });
    socket.ws.pause();
    await converse(yard, id, 'hi');
    const started = performance.now();
    await yard.close();
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe('a request over a socket', () => {
  it('sends a message, in the order of sending, and once under the same key', async () => {
    const { client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    await socket.ask({ type: 'subscribe', sessionId: id });
    const message = { type: 'message', sessionId: id, content: 'hi', idempotencyKey: 'k' };
    const [first, second, other] = await Promise.all([
      socket.ask(message),
      socket.ask(message),
      socket.ask({ ...message, content: 'other' }),
    ]);
    expect(first).toMatchObject({ type: 'ack', seq: 1 });
    expect(second).toEqual({ ...first, ref: 'own-3' });
    expect(other).toMatchObject({ type: 'error', error: { code: 'idempotency_conflict' } });
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`);
    await Promise.all(texts.map((content) => socket.ask({ type: 'message', sessionId: id, content })));
    const ends = () => eventsOf(socket).filter(({ type }) => type === 'turn_end').length;
    while (ends() < 21) await pause(10);
    const said = eventsOf(socket).flatMap((one) => (one.type === 'user_message' ? [one.data.content] : []));
    expect(said).toEqual(['hi', ...texts]);
  });

  it('refuses a message with nothing in it but blanks', async () => {
    const { client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    const answer = await socket.ask({ type: 'message', sessionId: id, content: ' \n' });
    const message = expect.stringContaining('content is blank');
    expect(answer).toMatchObject({ type: 'error', error: { code: 'invalid_request', message } });
  });

  it('interrupts a turn, and says which', async () => {
    const { client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    await socket.ask({ type: 'subscribe', sessionId: id });
    const { turnId } = Object(await socket.ask({ type: 'message', sessionId: id, content: 'wait' }));
    await socket.find((frame) => frame.type === 'event' && frame.event.type === 'turn_start');
    expect(await socket.ask({ type: 'interrupt', sessionId: id })).toMatchObject({ type: 'ack', turnId });
    expect(await socket.find(isEnd)).toMatchObject({ event: { data: { outcome: 'interrupted' } } });
    expect(await socket.ask({ type: 'interrupt', sessionId: id })).toMatchObject({ turnId: null });
  });

  it('is answered also without a name of its own', async () => {
    const { client, socket } = await openYardWithSocket();
    const { id } = await client.sessions.create();
    socket.send({ type: 'subscribe', sessionId: id });
    expect(await socket.find(({ type }) => type === 'ack')).toEqual({ type: 'ack', sessionId: id, after: 0 });
    socket.send({ type: 'subscribe', sessionId: id, ref: 7 });
    expect(await socket.find((frame) => 'ref' in frame)).toMatchObject({ ref: 7 });
  });
});
