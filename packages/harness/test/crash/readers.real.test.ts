// Readers of a server that is killed again and again: over a socket and over streams they see each event once, and
// never one that the log does not have.
import { createClient, type Event, type PlacedEvent, pause } from '@toolyard/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { startYardProcess } from '../hostile/yard-process.ts';
import { openCuttingProxy } from '../http/cutting-proxy.ts';
import { temporaryDirectory } from '../support/yard.ts';

const rounds = 3;

/** Reads to the end of the turn that says nothing, for as long as it takes. */
async function readToEnd<T>(items: AsyncGenerator<T>, toEvent: (item: T) => Event): Promise<T[]> {
  const seen: T[] = [];
  let lastTurn: string | undefined;
  for await (const item of items) {
    seen.push(item);
    const event = toEvent(item);
    if (event.type === 'user_message' && event.data.content === '0') lastTurn = event.data.turnId;
    if (event.type === 'turn_end' && event.data.turnId === lastTurn) break;
  }
  return seen;
}

const itself = (event: Event) => event;
const eventOf = ({ event }: PlacedEvent) => event;

it('P1, P2: kill -9 at random moments: each reader sees each event once, in order', async () => {
  const home = await temporaryDirectory();
  let server = await startYardProcess(home);
  onTestFinished(() => server.end());
  const proxy = await openCuttingProxy(server.port);
  const client = createClient({ baseUrl: proxy.url, token: server.token });
  using socket = client.socket();
  const { id } = await client.sessions.create();
  const { id: other } = await client.sessions.create();
  const readings = [
    readToEnd(socket.allEvents({ after: 0 }), eventOf),
    readToEnd(client.events({ after: 0 }), eventOf),
  ] as const;
  const own = [readToEnd(socket.events(id), itself), readToEnd(client.sessions.events(id), itself)] as const;
  for (let round = 0; round < rounds; round++) {
    await Promise.all([socket.send(id, '2'), socket.send(other, '1')]);
    await pause(Math.random() * 250);
    await server.end();
    proxy.cut();
    server = await startYardProcess(home);
    proxy.aim(server.port);
  }
  await socket.send(id, '0');
  const log = await readToEnd(server.client.sessions.events(id), itself);
  for (const events of await Promise.all(own)) expect(events).toEqual(log);
  const [overSocket, overSse] = await Promise.all(readings);
  expect(overSocket).toEqual(overSse);
  expect(overSocket.map(({ position }) => position)).toEqual(overSocket.map((_, index) => index + 1));
  expect(overSocket.map(({ event }) => event).filter(({ sessionId }) => sessionId === id)).toEqual(log);
}, 120_000);
