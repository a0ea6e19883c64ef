// What readers over real lines hear when the session they read is deleted: those who keep up, and those who do not.
import { createClient, type Event, type PlacedEvent, pause } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { expect, it, onTestFinished } from 'vitest';
import { converse, openTestYard } from '../../support/yard.ts';

/** More than lines and their ends hold. */
const long = 'x'.repeat(5_000);

const engine = createScriptedEngine({
  reply: ({ text }) =>
    text === 'much'
      ? Array.from({ length: 3_000 }, (_, index) => (index % 2 ? { text: long } : { thinking: long }))
      : [{ text: 'ok' }],
});

async function openLine() {
  const yard = await openTestYard({ engine });
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  const client = createClient({ baseUrl: url, token: yard.token });
  const socket = client.socket();
  onTestFinished(() => socket.close());
  return { yard, client, socket };
}

const last = { type: 'session_status', data: { status: 'closed', deleted: true } };

it('a socket gives the last event and ends that log; the others go on', async () => {
  const { yard, client, socket } = await openLine();
  const { id } = await client.sessions.create();
  const other = await client.sessions.create();
  const own: Event[] = [];
  const all: PlacedEvent[] = [];
  const reading = (async () => {
    for await (const event of socket.events(id)) own.push(event);
  })();
  const everything = (async () => {
    for await (const placed of socket.allEvents()) {
      all.push(placed);
      if (placed.event.type === 'turn_end' && placed.event.sessionId === other.id) return;
    }
  })();
  await converse(yard, id, 'hello');
  await client.sessions.delete(id);
  await reading;
  expect(own.at(-1)).toMatchObject(last);
  expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1));
  await converse(yard, other.id, 'hello');
  await everything;
  expect(all.filter(({ event }) => event.sessionId === id).at(-1)?.event).toMatchObject(last);
  await expect(socket.events(id).next()).rejects.toMatchObject({ code: 'session_not_found' });
});

it('who is behind is told that the session is gone, over either line', async () => {
  const { yard, client, socket } = await openLine();
  const { id } = await client.sessions.create();
  await converse(yard, id, 'much');
  const slow = socket.events(id);
  const stream = client.sessions.events(id);
  await slow.next();
  await stream.next();
  await client.sessions.delete(id);
  await pause(20);
  const end = async (events: AsyncGenerator<Event>) => {
    const seen: Event[] = [];
    try {
      for await (const event of events) seen.push(event);
      return { seen, end: seen.at(-1)?.data };
    } catch (thrown) {
      return { seen, end: thrown };
    }
  };
  for (const { seen, end: how } of await Promise.all([end(slow), end(stream)])) {
    expect(seen.length).toBeLessThan(3_000);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 2));
    expect(how).toMatchObject({ code: 'session_not_found' });
  }
});

it('a reader that comes at the same moment does not wait for ever', async () => {
  const { client } = await openLine();
  const ends = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { id } = await client.sessions.create();
      const reading = Array.fromAsync(client.sessions.events(id, { signal: AbortSignal.timeout(8_000) }));
      const deleting = client.sessions.delete(id);
      const end = await reading.then(
        (events) => events.at(-1)?.type,
        (thrown) => thrown.code,
      );
      await deleting;
      return end;
    }),
  );
  expect(ends.every((end) => end === 'session_status' || end === 'session_not_found')).toBe(true);
});
