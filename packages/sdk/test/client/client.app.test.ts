import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createClient, type Event, pause, ToolyardError, toSse } from '../../src/index.ts';

const id = `ses_${'0'.repeat(22)}`;
const log: Event[] = Array.from({ length: 40 }, (_, index) => ({
  sessionId: id,
  seq: index + 1,
  at: '2026-01-01T00:00:00.000Z',
  type: 'text_delta',
  data: { text: `${index} — 🌍` },
}));

/** Resolves once what was collected has been told of it, too. */
async function collectGarbage(): Promise<void> {
  const told = Promise.withResolvers<void>();
  const registry = new FinalizationRegistry(told.resolve);
  registry.register({}, undefined);
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  await told.promise;
  registry.unregister(registry);
}

/** A server that cuts every line after a random number of bytes. */
function createCuttingServer() {
  let requests = 0;
  const fetch = (request: Request) => {
    requests++;
    const after = Number(new URL(request.url).searchParams.get('after'));
    const rest = log.filter((event) => event.seq > after);
    const bytes = new TextEncoder().encode(
      rest.map((event) => toSse({ id: String(event.seq), data: JSON.stringify(event) })).join(''),
    );
    const cut = Math.floor(Math.random() * 900) + 1;
    return new Response(bytes.slice(0, cut), { headers: { 'content-type': 'text/event-stream' } });
  };
  return { fetch, requests: () => requests };
}

describe('the client', () => {
  it('P2: yields each event once, in order, from lines cut at random bytes', async () => {
    const server = createCuttingServer();
    const client = createClient({ baseUrl: 'http://127.0.0.1', fetch: server.fetch });
    const stop = new AbortController();
    const seen: Event[] = [];
    for await (const event of client.sessions.events(id, { signal: stop.signal })) {
      seen.push(event);
      if (event.seq === log.length) stop.abort();
    }
    expect(seen).toEqual(log);
    expect(server.requests()).toBeGreaterThan(1);
  });

  it.each(['words', undefined, ['a'], {}])(
    'says how a search is written when it is given %j',
    async (query) => {
      const fetch = () => Promise.reject(new Error('nobody should be asked'));
      const client = createClient({ baseUrl: 'http://127.0.0.1', fetch });
      // As a program without types may do it.
      await expect(client.search(query as unknown as { q: string })).rejects.toMatchObject({
        code: 'invalid_request',
        message: 'Pass an object to search: search({ q: "words" }).',
      });
    },
  );

  it('stops reading when it is told to, also after its request was collected', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(toSse({ id: '1', data: JSON.stringify(log[0]) }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // Listening on a port of this machine, so there is an address and it is no path.
    const { port } = server.address() as AddressInfo;
    const stop = new AbortController();
    const events = createClient({ baseUrl: `http://127.0.0.1:${port}` }).sessions.events(id, {
      signal: stop.signal,
    });
    expect((await events.next()).value).toEqual(log[0]);
    const next = events.next();
    await collectGarbage();
    stop.abort();
    expect(await Promise.race([next, pause(5_000)])).toEqual({ done: true, value: undefined });
    server.closeAllConnections();
    server.close();
  });

  it('says on which surface it speaks', async () => {
    const heard: (string | null)[] = [];
    const fetch = (request: Request) => {
      heard.push(request.headers.get('x-toolyard-via'));
      return Response.json({ items: [] });
    };
    for (const via of [{}, { via: 'terminal' }]) {
      await createClient({ baseUrl: 'http://127.0.0.1', fetch, ...via }).sessions.list();
    }
    expect(heard).toEqual(['library', 'terminal']);
  });

  it('says when no server answers', async () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1:1',
      fetch: () => Promise.reject(new Error('refused')),
    });
    await expect(client.health()).rejects.toMatchObject({ code: 'server_unreachable' });
  });

  it('gives up on a dead line when its patience ends', async () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1:1',
      fetch: () => Promise.reject(new Error('refused')),
    });
    const reading = Array.fromAsync(client.sessions.events(id, { patienceMs: 50 }));
    await expect(reading).rejects.toMatchObject({ code: 'server_unreachable' });
  });

  it('hands on the server’s error as it is, and keeps an unknown code readable', async () => {
    const answers = [
      Response.json(
        { error: { code: 'session_not_found', message: 'No.', data: { a: 1 } } },
        { status: 404 },
      ),
      Response.json({ error: { code: 'from_the_future', message: 'New.' } }, { status: 418 }),
      new Response('<html>', { status: 502 }),
    ];
    const client = createClient({
      baseUrl: 'http://127.0.0.1',
      fetch: () => answers.shift() ?? Response.error(),
    });
    const errors = [];
    for (let count = 0; count < 3; count++)
      errors.push(await client.sessions.get(id).catch((error) => error));
    expect(errors).toEqual([
      new ToolyardError('session_not_found', 'No.', { data: { a: 1 } }),
      new ToolyardError('internal', 'New.'),
      new ToolyardError('internal', 'The server answered with status 502 and no error message.'),
    ]);
  });

  it('reads an event type of a newer server as raw and keeps its place', async () => {
    const event = { sessionId: id, seq: 1, at: '2026-01-01T00:00:00.000Z', type: 'hologram', data: { x: 1 } };
    const stop = new AbortController();
    const client = createClient({
      baseUrl: 'http://127.0.0.1',
      fetch: () => new Response(toSse({ id: '1', data: JSON.stringify(event) })),
    });
    for await (const seen of client.sessions.events(id, { signal: stop.signal })) {
      expect(seen).toEqual({
        ...event,
        type: 'raw',
        data: { engine: 'unknown', message: { type: 'hologram', data: { x: 1 } } },
      });
      stop.abort();
    }
  });
});
