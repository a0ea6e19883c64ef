// The client's socket, frame by frame: what counts, what is sent again, and what is not.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createClient,
  type Event,
  type PlacedEvent,
  parseSocketProtocols,
  pause,
  type ServerFrame,
  type SocketWishes,
  toSocketProtocols,
} from '../../src/index.ts';
import { createFakeSockets, type FakeLine } from '../fake-socket.ts';

const sessionId = `ses_${'0'.repeat(22)}`;
const turnId = `trn_${'0'.repeat(22)}`;
const approvalId = `apr_${'0'.repeat(22)}`;

function eventOf(seq: number): Event {
  return { sessionId, seq, at: '2026-01-01T00:00:00.000Z', type: 'text_delta', data: { text: String(seq) } };
}
const frameOf = (seq: number): ServerFrame => ({ type: 'event', event: eventOf(seq) });
const placed = (position: number): ServerFrame => ({ type: 'event', event: eventOf(position), position });

/** A client whose sockets are in memory; `refusal` is what its server answers over HTTP. */
async function openClient(refusal = 'upgrade_required', wishes: SocketWishes = {}) {
  const sockets = createFakeSockets();
  const client = createClient({
    baseUrl: 'https://example.org/yard',
    token: 'söcret',
    via: 'test',
    WebSocket: sockets.WebSocket,
    fetch: () => Response.json({ error: { code: refusal, message: 'No.' } }, { status: 400 }),
  });
  const socket = client.socket(wishes);
  onTestFinished(() => socket.close());
  const first = await sockets.line(1);
  return { sockets, socket, first };
}

function lastAsked({ sent }: FakeLine, type: string) {
  return sent.findLast((frame) => frame.type === type) ?? {};
}

function acknowledge(line: FakeLine, rest: Partial<ServerFrame> = {}): void {
  const { ref, sessionId: whose } = lastAsked(line, 'subscribe');
  line.say({ type: 'ack', ref, ...(whose ? { sessionId: whose } : {}), ...rest } as ServerFrame);
}

/** What has arrived so far, without waiting for more. */
async function takeReady<T>(items: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for (let index = 0; index < count; index++) taken.push((await items.next()).value);
  return taken;
}

const seqOf = ({ seq }: Event) => seq;
const positionOf = ({ position }: PlacedEvent) => position;

describe('a socket', () => {
  it('asks for a session’s log in batches, and gives their events one by one', async () => {
    const { socket, first } = await openClient();
    const items = socket.events(sessionId);
    first.open();
    expect(lastAsked(first, 'subscribe')).toMatchObject({ sessionId, batch: true });
    acknowledge(first);
    first.say({ type: 'events', events: [1, 2, 3].map(eventOf) });
    first.say({ type: 'events', events: [3, 4].map(eventOf) });
    first.say(frameOf(5));
    expect((await takeReady(items, 5)).map(seqOf)).toEqual([1, 2, 3, 4, 5]);
  });

  it('opens at the server’s address, with the token where only the server reads it', async () => {
    const { first } = await openClient();
    expect(first.url).toBe('wss://example.org/api/ws');
    expect(parseSocketProtocols(first.protocols.join(', '))).toEqual({ token: 'söcret', via: 'test' });
    expect(first.protocols.every((each) => /^[\w.-]+$/.test(each))).toBe(true);
    expect(toSocketProtocols({})).toEqual(['toolyard.v1']);
    expect(toSocketProtocols({ token: 'tyd_a-b' })).toEqual(['toolyard.v1', 't.tyd_a-b']);
    expect(parseSocketProtocols('toolyard.v1, t.tyd_a-b')).toEqual({ token: 'tyd_a-b' });
    expect(parseSocketProtocols('toolyard.bearer.%')).toEqual({ token: '' });
  });

  it('ends for good when the server will not have it, and tries again when it only was not there', async () => {
    const refused = await openClient('unauthorized');
    const next = refused.socket.allEvents().next();
    refused.first.end();
    await expect(next).rejects.toMatchObject({ code: 'unauthorized' });
    expect([refused.socket.state, refused.sockets.lines.length]).toEqual(['closed', 1]);

    const absent = await openClient();
    absent.first.end();
    expect(absent.socket.state).toBe('retrying');
    (await absent.sockets.line(2)).open();
    expect(absent.socket.state).toBe('open');
  });

  it('that may wait for a login is told that it is over, and goes on where it was once it is woken', async () => {
    let told = 0;
    const { sockets, socket, first } = await openClient('unauthorized', { onUnauthorized: () => told++ });
    const events = socket.events(sessionId);
    first.open();
    acknowledge(first, { after: 0 });
    first.say(frameOf(1));
    const sent = socket.send(sessionId, 'under way');
    first.end(1008);
    await vi.waitFor(() => expect(told).toBe(1));
    expect([socket.state, sockets.lines.length]).toEqual(['retrying', 1]);
    socket.wake();
    (await sockets.line(2)).end();
    await vi.waitFor(() => expect(told).toBe(2));
    socket.wake();
    const third = await sockets.line(3);
    third.open();
    expect(lastAsked(third, 'subscribe')).toMatchObject({ sessionId, after: 1 });
    acknowledge(third, { after: 1 });
    for (const seq of [1, 2]) third.say(frameOf(seq));
    expect((await takeReady(events, 2)).map(seqOf)).toEqual([1, 2]);
    third.say({ type: 'ack', ref: String(lastAsked(third, 'message').ref), turnId, seq: 3 });
    expect(await sent).toEqual({ turnId, seq: 3 });
    third.end(1008);
    await vi.waitFor(() => expect(told).toBe(3));
    socket.close();
    await expect(socket.send(sessionId, 'late')).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('ends when what arrives is no frame, and passes over frames it does not know', async () => {
    const { socket, first } = await openClient();
    first.open();
    const events = socket.events(sessionId);
    const next = events.next();
    first.say(JSON.stringify({ type: 'hologram' }));
    first.say('3');
    expect(socket.state).toBe('open');
    first.say('{"type":"event","event":{"seq":"x"}}');
    await expect(next).rejects.toMatchObject({ code: 'malformed_response' });
    expect(socket.state).toBe('closed');
  });
});

describe('a subscription of the client', () => {
  it('P2: counts events from its acknowledgement on, each once, and goes on from the last after a break', async () => {
    const { sockets, socket, first } = await openClient();
    const events = socket.events(sessionId);
    expect(first.sent).toEqual([]);
    first.open();
    expect(first.sent).toEqual([
      { type: 'subscribe', ref: expect.any(String), sessionId, batch: true, after: 0 },
    ]);
    first.say(frameOf(7));
    acknowledge(first, { after: 0 });
    for (const seq of [1, 2, 2, 1, 3]) first.say(frameOf(seq));
    expect((await takeReady(events, 3)).map(seqOf)).toEqual([1, 2, 3]);
    first.end();
    const second = await sockets.line(2);
    second.open();
    expect(lastAsked(second, 'subscribe')).toMatchObject({ sessionId, after: 3 });
    first.say(frameOf(4));
    second.say(frameOf(5));
    acknowledge(second, { after: 3 });
    for (const seq of [3, 4, 5]) second.say(frameOf(seq));
    expect((await takeReady(events, 2)).map(seqOf)).toEqual([4, 5]);
  });

  it('P2: of all sessions goes on from where it began when it breaks before the first event', async () => {
    const { sockets, socket, first } = await openClient();
    first.open();
    const events = socket.allEvents();
    expect(lastAsked(first, 'subscribe')).not.toHaveProperty('after');
    acknowledge(first, { after: 41 });
    first.end();
    const second = await sockets.line(2);
    second.open();
    expect(lastAsked(second, 'subscribe')).toMatchObject({ after: 41 });
    acknowledge(second, { after: 41 });
    second.say(placed(44));
    expect((await takeReady(events, 1)).map(positionOf)).toEqual([44]);
  });

  it('P2: that was dropped asks again after the last event, and takes nothing that was still on its way', async () => {
    const { socket, first } = await openClient();
    first.open();
    const events = socket.allEvents({ after: 0 });
    acknowledge(first, { after: 0 });
    first.say(placed(1));
    first.say({ type: 'resync', after: 1 });
    expect(lastAsked(first, 'subscribe')).toMatchObject({ after: 1 });
    first.say(placed(9));
    acknowledge(first, { after: 1 });
    for (const position of [3, 9]) first.say(placed(position));
    expect((await takeReady(events, 3)).map(positionOf)).toEqual([1, 3, 9]);
  });

  it('P11: that nobody reads keeps a thousand events, stops, and goes on from there when it is read', async () => {
    const { socket, first } = await openClient();
    first.open();
    const events = socket.allEvents({ after: 0 });
    acknowledge(first, { after: 0 });
    for (let position = 1; position <= 1_500; position++) first.say(placed(position));
    expect(lastAsked(first, 'unsubscribe')).toEqual({ type: 'unsubscribe' });
    expect(first.sent.filter(({ type }) => type === 'unsubscribe')).toHaveLength(1);
    expect((await takeReady(events, 999)).map(positionOf).at(-1)).toBe(999);
    // There is room again, but what comes now was sent before the server heard that it should stop.
    first.say(placed(1_501));
    expect((await events.next()).value).toMatchObject({ position: 1_000 });
    const next = events.next();
    await pause(0);
    expect(lastAsked(first, 'subscribe')).toMatchObject({ after: 1_000 });
    first.say(placed(1_502));
    acknowledge(first, { after: 1_000 });
    first.say(placed(1_001));
    expect((await next).value).toMatchObject({ position: 1_001 });
  });

  it('ends with its signal or its reader, tells the server, and can be had again', async () => {
    const { socket, first } = await openClient();
    first.open();
    const stop = new AbortController();
    const events = socket.events(sessionId, { signal: stop.signal });
    expect(() => socket.events(sessionId)).toThrow('already');
    const next = events.next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(lastAsked(first, 'unsubscribe')).toEqual({ type: 'unsubscribe', sessionId });
    const again = socket.events(sessionId, { after: 5 });
    expect(lastAsked(first, 'subscribe')).toMatchObject({ after: 5 });
    await again.return(undefined);
    expect(first.sent.filter(({ type }) => type === 'unsubscribe')).toHaveLength(2);
  });

  it('fails with what the server says of it, after the events that came before', async () => {
    const { socket, first } = await openClient();
    first.open();
    const events = socket.events(sessionId);
    acknowledge(first, { after: 0 });
    first.say(frameOf(1));
    const { ref } = lastAsked(first, 'subscribe');
    first.say({
      type: 'error',
      ref: ref as string,
      error: { code: 'database_corrupt', message: 'Damaged.' },
    });
    expect((await takeReady(events, 1)).map(seqOf)).toEqual([1]);
    await expect(events.next()).rejects.toMatchObject({ code: 'database_corrupt' });
  });
});

describe('a request of the client', () => {
  it('P18: a message and an interrupt are sent again after a break, under the same key; an answer is not', async () => {
    const { sockets, socket, first } = await openClient();
    const early = socket.send(sessionId, 'early');
    first.open();
    const late = socket.send(sessionId, 'late');
    const interrupt = socket.interrupt(sessionId);
    const answer = socket.answerApproval(approvalId, { decision: 'allow' });
    const sent = [...first.sent];
    expect(sent.map(({ type }) => type)).toEqual(['message', 'message', 'interrupt', 'approval']);
    first.end();
    await expect(answer).rejects.toMatchObject({ code: 'server_unreachable' });
    const waiting = socket.answerApproval(approvalId, { decision: 'deny' });
    const second = await sockets.line(2);
    second.open();
    expect(second.sent.slice(0, 3)).toEqual(sent.slice(0, 3));
    expect(second.sent[3]).toMatchObject({ type: 'approval', decision: 'deny' });
    const refs = second.sent.map(({ ref }) => ref as string);
    second.say({ type: 'ack', ref: refs[0], turnId, seq: 1 });
    second.say({ type: 'ack', ref: refs[1], turnId, seq: 2 });
    second.say({ type: 'ack', ref: refs[2], turnId: null });
    second.say({ type: 'error', ref: refs[3], error: { code: 'already_answered', message: 'Too late.' } });
    expect([await early, await late, await interrupt]).toEqual([
      { turnId, seq: 1 },
      { turnId, seq: 2 },
      { turnId: null },
    ]);
    await expect(waiting).rejects.toMatchObject({ code: 'already_answered', message: 'Too late.' });
  });

  it('names itself in front, where the server finds it in a frame that is too large', async () => {
    const { socket, first } = await openClient();
    first.open();
    void socket.send(sessionId, 'x').catch(() => {});
    expect(Object.keys(first.sent[0] ?? {}).slice(0, 2)).toEqual(['type', 'ref']);
  });
});
