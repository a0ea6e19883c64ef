// The server on a real socket, and above all how it stops: in time, and with its readers told the end.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient, type Engine, type Event, pause } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Yard } from '../../../src/app.ts';
import { serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { createHome } from '../../cli/toolyard-process.ts';
import { openTestYard, readUntil } from '../../support/yard.ts';
import { readStream } from '../asking.ts';
import { openLine, readAll } from '../wire.ts';

const endless = createScriptedEngine({
  reply: () => [...Array.from({ length: 20 }, () => ({ text: 'x'.repeat(50_000) })), { untilAborted: true }],
});

/** An engine that does not hear that it should stop. */
const stubborn: Engine = {
  id: 'stubborn',
  nativeTools: [],
  start: async () => ({ prompt: () => new Promise(() => {}), close: async () => {} }),
};

/** A yard on a socket with a turn under way that will not end by itself. */
async function openBusyYard(engine: Engine) {
  const yard = await openTestYard({ engine });
  const { url, port } = await yard.listen({ host: '127.0.0.1', port: 0 });
  const { id } = await yard.client().sessions.create();
  const { turnId } = await yard.client().sessions.send(id, 'go');
  await readUntil(yard, id, ({ type }) => type === 'turn_start');
  const read = (path = `/api/sessions/${id}/events`) =>
    fetch(url + path, { headers: { authorization: `Bearer ${yard.token}` } });
  return { yard, url, port, id, turnId, read };
}

async function timeToClose(yard: Yard): Promise<number> {
  const started = performance.now();
  await yard.close();
  return performance.now() - started;
}

/** Whether the text so far has this many characters. */
function createTextCount(wanted: number): (event: Event) => boolean {
  let seen = 0;
  return (event) => {
    if (event.type === 'text_delta') seen += event.data.text.length;
    return seen >= wanted;
  };
}

const endOf = (events: readonly Event[]) => events.findLast(({ type }) => type === 'turn_end')?.data;
const restarted = { outcome: 'failed', error: { code: 'restarted' } };

describe('a server that stops', () => {
  it.each([
    ['stops when told', endless],
    ['does not listen', stubborn],
  ])('ends within 5 s with a turn whose engine %s, and its readers see the end', async (_, engine) => {
    const { yard, url, id, turnId, read } = await openBusyYard(engine);
    const responses = await Promise.all(Array.from({ length: 10 }, () => read()));
    const streams = Promise.all(responses.map((response) => readStream(response)));
    const client = createClient({ baseUrl: url, token: yard.token });
    await client.sessions.send(id, 'queued');
    const closing = timeToClose(yard);
    // This one takes its time to close, in which somebody may come with new work.
    if (engine === stubborn)
      await expect(client.sessions.send(id, 'late')).rejects.toMatchObject({ code: 'shutting_down' });
    expect(await closing).toBeLessThan(5_000);
    for (const events of await streams) {
      expect(endOf(events)).toMatchObject({ turnId, ...restarted });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    }
    await expect(client.sessions.send(id, 'later')).rejects.toMatchObject({ code: 'server_unreachable' });
  });

  it('lets a reader that is far behind catch up first', async () => {
    const { yard, id, turnId, read } = await openBusyYard(endless);
    await readUntil(yard, id, createTextCount(20 * 50_000));
    const response = await read();
    const [closing, events] = await Promise.all([timeToClose(yard), readStream(response)]);
    expect(endOf(events)).toMatchObject({ turnId, ...restarted });
    expect(closing).toBeLessThan(5_000);
  });

  it('waits neither for readers that do not read, nor for idle or half-sent requests', async () => {
    const { yard, id, port } = await openBusyYard(endless);
    const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${yard.token}\r\n`;
    const [stalled, half, idle] = [await openLine(port), await openLine(port), await openLine(port)];
    stalled.pause().write(`GET /api/sessions/${id}/events ${head}\r\n`);
    half.write(`POST /api/sessions ${head}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`);
    // Sent last: once it is answered, the server has heard the other two.
    const answered = once(idle, 'data');
    idle.write(`GET /api/health ${head}\r\n`);
    await answered;
    const gone = Promise.all([half, idle].map(readAll));
    expect(await timeToClose(yard)).toBeLessThan(2_000);
    await gone;
  });

  it('P12: on SIGTERM, as a process, ends the same way with code 0; the next start has the whole log', async () => {
    const home = await createHome();
    onTestFinished(() => home.end());
    const scenarioPath = fileURLToPath(new URL('../../cli/scenario.yaml', import.meta.url));
    const model = await serveRehearsal({ scenarioPath });
    onTestFinished(() => model.close());
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'any' };
    const server = home.start(['serve'], { env });
    await server.until(/listens at/);
    const client = await home.client();
    const { id } = await client.sessions.create();
    const { turnId } = await client.sessions.send(id, 'endless story');
    const seen: Event[] = [];
    let toldAt: number | undefined;
    const reading = (async () => {
      for await (const event of client.sessions.events(id, { patienceMs: 0 })) {
        seen.push(event);
        if (event.type !== 'text_delta' || toldAt !== undefined) continue;
        toldAt = performance.now();
        server.child.kill('SIGTERM');
      }
    })().catch(() => {});
    expect((await server.finished).code).toBe(0);
    expect(performance.now() - (toldAt ?? 0)).toBeLessThan(6_000);
    await reading;
    expect(endOf(seen)).toMatchObject({ turnId, ...restarted });

    await home.start(['serve'], { env }).until(/listens at/);
    const again = await home.client();
    const { lastSeq } = await again.sessions.get(id);
    const events: Event[] = [];
    for await (const event of again.sessions.events(id)) {
      events.push(event);
      if (event.seq === lastSeq) break;
    }
    expect(events.slice(0, seen.length)).toEqual(seen);
    expect(endOf(events)).toMatchObject({ turnId, ...restarted });
  });
});

describe('a server that listens', () => {
  it('says where, also on a port it picked and on IPv6', async () => {
    const yard = await openTestYard();
    const at = await yard.listen({ host: '::1', port: 0 }).catch(() => undefined);
    if (!at) return; // No IPv6 on this machine.
    expect(at.url).toBe(`http://[::1]:${at.port}`);
    expect((await fetch(`${at.url}/api/health`)).status).toBe(200);
  });

  it('answers a request line or Host that is no address in the shape of every error', async () => {
    const { port } = await (await openTestYard()).listen({ host: '127.0.0.1', port: 0 });
    for (const request of [
      'GET /a\\b HTTP/1.1\r\nHost: 127.0.0.1',
      'GET /api/health HTTP/1.1\r\nHost: a b',
    ]) {
      const line = await openLine(port);
      line.write(`${request}\r\nConnection: close\r\n\r\n`);
      expect(await readAll(line)).toMatch(/^HTTP\/1\.1 40[03] [\s\S]*\{"error":\{"code":"/);
    }
  });
});

it('serves a client that uses its line again later than it was told to', async () => {
  const yard = await openTestYard();
  const { port } = await yard.listen({ host: '127.0.0.1', port: 0, limits: { keepAliveTimeout: 1 } });
  const socket = await openLine(port);
  const ask = async () => {
    socket.write('GET /api/health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    const [answer] = await once(socket, 'data');
    return String(answer).split('\r\n')[0];
  };
  const first = await ask();
  const isClosed = await Promise.race([
    once(socket, 'close').then(() => true),
    pause(1_500).then(() => false),
  ]);
  expect([first, isClosed, await ask()]).toEqual(['HTTP/1.1 200 OK', false, 'HTTP/1.1 200 OK']);
});
