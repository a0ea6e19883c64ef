// The typed client over sockets and streams that break: each event once, in order, and messages taken once.
import { createClient, type Event, type PlacedEvent, pause, type SocketState } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLedgerYard } from '../../support/ledger.ts';
import { rounds } from '../../support/soak.ts';
import { openTestYard } from '../../support/yard.ts';
import { openCuttingProxy } from '../cutting-proxy.ts';

/** Words that the log does not merge into one event. */
const words = (text: string, count: number) =>
  Array.from({ length: count }, (_, index) => (index % 2 ? { text } : { thinking: text }));
const talkative = createScriptedEngine({
  reply: ({ text }) =>
    text.startsWith('much') ? words(text, 200) : words(text, 20).flatMap((word) => [word, { pauseMs: 2 }]),
});

async function openBehindProxy() {
  const yard = await openTestYard({ engine: talkative });
  const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
  const proxy = await openCuttingProxy(port);
  const client = createClient({ baseUrl: proxy.url, token: yard.token, via: 'test' });
  const socket = client.socket();
  onTestFinished(() => socket.close());
  return { yard, proxy, client, socket };
}

/** Cuts the line at random moments until `done`. */
async function cutUntil(done: Promise<unknown>, cut: () => void): Promise<void> {
  const stop = new AbortController();
  void done.finally(() => stop.abort());
  while (!stop.signal.aborted) {
    await pause(Math.random() * 120, stop.signal);
    cut();
  }
}

/** Reads until as many turns have ended. */
async function readTurns<T>(
  items: AsyncGenerator<T>,
  turns: number,
  toEvent: (item: T) => Event,
): Promise<T[]> {
  const seen: T[] = [];
  let ended = 0;
  for await (const item of items) {
    seen.push(item);
    if (toEvent(item).type === 'turn_end' && ++ended === turns) break;
  }
  return seen;
}

const itself = (event: Event) => event;
const eventOf = ({ event }: PlacedEvent) => event;

describe('the client’s socket', () => {
  it('P2: across cuts at random moments yields each event once, of one session and of all', async () => {
    const { yard, proxy, socket } = await openBehindProxy();
    const plain = yard.client();
    const sessions = [
      await plain.sessions.create(),
      await plain.sessions.create(),
      await plain.sessions.create(),
    ];
    const [first] = sessions;
    const start = await firstPosition(yard.client());
    const turns = 6;
    const own = readTurns(socket.events(first?.id ?? ''), turns, itself);
    const all = readTurns(socket.allEvents({ after: start }), turns * sessions.length, eventOf);
    const overSse = readTurns(
      createClient({ baseUrl: proxy.url, token: yard.token }).events({ after: start }),
      turns * sessions.length,
      eventOf,
    );
    const sending = Promise.all(
      sessions.map(async ({ id }) => {
        for (let turn = 0; turn < turns; turn++) {
          await plain.sessions.send(id, `turn ${turn}`);
          await pause(Math.random() * 200);
        }
      }),
    );
    await cutUntil(Promise.all([own, all, overSse, sending]), proxy.cut);
    expect(proxy.opened()).toBeGreaterThan(5);
    const log = await readTurns(plain.sessions.events(first?.id ?? ''), turns, itself);
    expect(await own).toEqual(log);
    for (const placed of [await all, await overSse]) {
      expect(placed.map(({ position }) => position)).toEqual(placed.map((_, index) => start + index + 1));
      const ofFirst = placed.map(eventOf).filter(({ sessionId }) => sessionId === first?.id);
      expect(ofFirst.slice(0, log.length)).toEqual(log);
    }
  }, 60_000);

  it('P18: sends a message again after a break, and it is taken once', async () => {
    const { yard, proxy, socket } = await openBehindProxy();
    const { id } = await yard.client().sessions.create();
    // It need not wait as long as after a break that nobody meant.
    socket.onState((state) => {
      if (state === 'retrying') setImmediate(socket.wake);
    });
    const count = rounds({ short: 20, full: 200 });
    const texts = Array.from({ length: count }, (_, index) => `message ${index}`);
    const sent = [];
    for (const text of texts) {
      const sending = socket.send(id, text);
      // Sometimes before the message has arrived, sometimes after.
      await pause(Math.random() * 8);
      proxy.cut();
      sent.push(await sending);
    }
    const said: string[] = [];
    for await (const event of yard.client().sessions.events(id)) {
      if (event.type === 'user_message') said.push(String(event.data.content));
      if (said.length === texts.length) break;
    }
    expect(said).toEqual(texts);
    expect(new Set(sent.map(({ turnId }) => turnId)).size).toBe(texts.length);
  }, 60_000);

  it('tells its state, and ends readers and requests when it is closed', async () => {
    const { yard, proxy, socket } = await openBehindProxy();
    const states: SocketState[] = [];
    socket.onState((state) => states.push(state));
    const { id } = await yard.client().sessions.create();
    const events = socket.events(id);
    const first = events.next();
    await socket.send(id, 'hi');
    expect((await first).value).toMatchObject({ type: 'user_message' });
    proxy.cut();
    while (states.length < 4) await pause(10);
    expect(states).toEqual(['connecting', 'open', 'retrying', 'open']);
    expect(() => socket.events(id)).toThrow('already reads');
    const rest = Array.fromAsync(events);
    const all = socket.allEvents().next();
    socket.close();
    expect((await rest).length).toBeGreaterThanOrEqual(0);
    expect(await all).toEqual({ done: true, value: undefined });
    await expect(socket.send(id, 'late')).rejects.toMatchObject({ code: 'interrupted' });
    await expect(socket.allEvents().next()).rejects.toMatchObject({ code: 'interrupted' });
    expect([socket.state, states.at(-1)]).toEqual(['closed', 'closed']);
  });

  it('tells when it hears all events, and again after a break: what happens from then on is heard', async () => {
    const { yard, proxy, socket } = await openBehindProxy();
    let subscribed = 0;
    const events = socket.allEvents({ onSubscribed: () => void subscribed++ });
    const first = events.next();
    await expect.poll(() => subscribed).toBe(1);
    const { id } = await yard.client().sessions.create();
    await yard.client().sessions.send(id, 'hi');
    expect((await first).value?.event).toMatchObject({ sessionId: id, type: 'user_message' });
    proxy.cut();
    await expect.poll(() => subscribed).toBe(2);
    await events.return(undefined);
  });

  it('gives up at once when its token is wrong, and when it is revoked', async () => {
    const { yard, proxy } = await openBehindProxy();
    const wrong = createClient({ baseUrl: proxy.url, token: 'wrong' }).socket();
    await expect(wrong.allEvents().next()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(wrong.state).toBe('closed');
    const { id, secret } = await yard.client().tokens.create({ name: 't', kind: 'person' });
    const revoked = createClient({ baseUrl: proxy.url, token: secret }).socket();
    const next = revoked.allEvents().next();
    while (revoked.state !== 'open') await pause(10);
    await yard.client().tokens.revoke(id);
    await expect(next).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('reads on after a reader that was slow has caught up, without a loss and with little waiting', async () => {
    const { yard, socket } = await openBehindProxy();
    const { id } = await yard.client().sessions.create();
    const events = socket.events(id);
    for (let turn = 0; turn < 12; turn++) await yard.client().sessions.send(id, 'much');
    const log = await readTurns(yard.client().sessions.events(id), 12, itself);
    expect(log.length).toBeGreaterThan(2_400);
    expect(await readTurns(events, 12, itself)).toEqual(log);
  });

  it('answers approvals, refuses twice, and passes errors on', async () => {
    const { yard, ran } = await openLedgerYard();
    const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: yard.token, via: 'web' });
    using socket = client.socket();
    const { id } = await client.sessions.create();
    const events = socket.allEvents();
    await socket.send(id, 'pay ann');
    for await (const { event } of events) {
      if (event.type !== 'approval_required') continue;
      const { id: approvalId } = event.data.approval;
      const answered = await socket.answerApproval(approvalId, { decision: 'allow' });
      expect(answered.decidedBy).toEqual({ kind: 'person', id: 'owner', via: 'web' });
      await expect(socket.answerApproval(approvalId, { decision: 'deny' })).rejects.toMatchObject({
        code: 'already_answered',
      });
      break;
    }
    await expect(socket.send(`ses_${'9'.repeat(22)}`, 'x')).rejects.toMatchObject({
      code: 'session_not_found',
    });
    await expect(socket.events(id, { after: 99_999 }).next()).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
    while (ran.length === 0) await pause(10);
    expect(await socket.interrupt(id)).toHaveProperty('turnId');
  });
});

async function firstPosition(client: ReturnType<typeof createClient>): Promise<number> {
  const stop = new AbortController();
  return new Promise((resolve) => {
    const events = client.events({ signal: stop.signal, onOpen: (position) => resolve(position) });
    void events.next();
  });
}
