// Readers that stall while events pour in: they cost the server next to nothing, are dropped with a marker, and go on later
// without a loss. Others notice nothing. Short by default; TOOLYARD_SOAK=full floods with 1 GB and prints what it measured.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pause, type ServerFrame } from '@toolyard/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSocket } from '../http/raw-socket.ts';
import { openLine } from '../http/wire.ts';
import { isFullSoak } from '../support/soak.ts';
import { temporaryDirectory } from '../support/yard.ts';
import { startYardProcess, type YardProcess } from './yard-process.ts';

const megabyte = 1024 * 1024;
const floodMb = isFullSoak ? 1_024 : 24;

async function startApart(limits = {}): Promise<YardProcess> {
  const server = await startYardProcess(join(await temporaryDirectory(), 'home'), limits);
  onTestFinished(server.end);
  return server;
}

/** Makes a session say so many megabytes, and reads them like a client that keeps up. Gives the number of events. */
async function flood({ client }: YardProcess, id: string, megabytes: number): Promise<number> {
  await client.sessions.send(id, String(megabytes));
  let last = 0;
  for await (const event of client.sessions.events(id)) {
    if (event.seq !== last + 1) throw new Error(`event ${event.seq} follows ${last}`);
    last = event.seq;
    if (event.type === 'session_status' && event.data.status === 'idle') return last;
  }
  return last;
}

/** A line that asks for a stream and reads nothing of it. */
async function openStalled({ port, token }: YardProcess, path: string): Promise<Socket> {
  const line = await openLine(port);
  line.pause();
  line.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return line;
}

/** What a line has to say once it is read, to the end of its response. */
async function readOn(line: Socket): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of line.setEncoding('latin1')) {
    chunks.push(chunk);
    if (chunks.slice(-2).join('').endsWith('\r\n0\r\n\r\n')) break;
  }
  return chunks.join('');
}

/** A gigabyte would not fit into the test. */
function withoutWords(frame: ServerFrame): ServerFrame {
  if (frame.type !== 'event' || frame.event.type !== 'text_delta') return frame;
  return { ...frame, event: { ...frame.event, data: { text: '' } } };
}

const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

describe('P11, H9: readers that stall during a flood', () => {
  it(
    `P11: cost under 32 MB in ${floodMb} MB of events, are dropped with a resync marker, and resume without loss`,
    async () => {
      // They are dropped soon, and read again only after the flood.
      const server = await startApart({ stallMs: 500, lingerMs: 900_000, pingIntervalMs: 5_000 });
      const { client } = server;
      const { id: warm } = await client.sessions.create();
      await flood(server, warm, 20);
      const before = await server.memory();

      const { id } = await client.sessions.create();
      const streams = [
        await openStalled(server, `/api/sessions/${id}/events`),
        await openStalled(server, '/api/events'),
      ] as const;
      const socket = await openSocket({ ...server, keep: withoutWords });
      await socket.ask({ type: 'subscribe', sessionId: id });
      await socket.ask({ type: 'subscribe' });
      const start = Number(Object(socket.frames.at(-1)).after);
      socket.ws.pause();
      let max = 0;
      const watch = setInterval(async () => {
        max = Math.max(max, await server.memory());
      }, 500);
      const last = await flood(server, id, floodMb);
      // Nobody is told that it was dropped before it reads on.
      await pause(1_000);
      clearInterval(watch);
      const grown = (Math.max(max, await server.memory()) - before) / megabyte;
      if (isFullSoak)
        process.stderr.write(`${floodMb} MB: +${grown.toFixed(1)} MB of ${before / megabyte}\n`);
      expect(grown).toBeLessThan(32);

      // The streams: what they got is a beginning without a hole, then the marker.
      const [ofSession, ofAll] = [await readOn(streams[0]), await readOn(streams[1])];
      expect(ofSession).toMatch(
        new RegExp(`event: resync\\ndata: \\{"sessionId":"${id}"\\}\\n\\n\\s*0\\s*$`),
      );
      expect(ofAll).toMatch(/event: resync\ndata: \{\}\n\n\s*0\s*$/);
      const seen = idsOf(ofSession);
      expect(seen).toEqual(upTo(seen.length));
      expect(seen.length).toBeLessThan(last);
      const rest: number[] = [];
      for await (const { seq } of client.sessions.events(id, { after: seen.length })) {
        rest.push(seq);
        if (seq === last) break;
      }
      expect([...seen, ...rest]).toEqual(upTo(last));
      const positions = idsOf(ofAll);
      expect(positions).toEqual(upTo(positions.at(-1) ?? 0, positions[0]));

      // The socket: the same, and it can go on over the same line.
      socket.ws.resume();
      const isDropped = (frame: ServerFrame) => frame.type === 'resync' && frame.sessionId === id;
      const isAllDropped = (frame: ServerFrame) => frame.type === 'resync' && frame.sessionId === undefined;
      const dropped = Object(await socket.find(isDropped));
      const allDropped = Object(await socket.find(isAllDropped));
      await socket.ask({ type: 'subscribe', sessionId: id, after: dropped.after });
      await socket.ask({ type: 'subscribe', after: allDropped.after });
      await socket.find((frame) => frame.type === 'event' && frame.position === start + last);
      await socket.find((frame) => frame.type === 'event' && !frame.position && frame.event.seq === last);
      const events = socket.frames.flatMap((frame) => (frame.type === 'event' ? [frame] : []));
      const own = events.filter(({ position }) => position === undefined);
      const everybody = events.flatMap(({ position }) => position ?? []);
      expect(own.map(({ event }) => event.seq)).toEqual(upTo(last));
      expect(everybody).toEqual(upTo(start + last, start + 1));
    },
    isFullSoak ? 1_800_000 : 180_000,
  );
});

describe('P11: a socket nobody is behind', () => {
  it('is cut when it takes nothing for too long, and when it does not answer', async () => {
    // A ping is long enough for one that is there to answer, though the machine is busy.
    const server = await startApart({ stallMs: 200, lingerMs: 200, pingIntervalMs: 500 });
    const { id } = await server.client.sessions.create();
    const stalled = await openSocket(server);
    await stalled.ask({ type: 'subscribe', sessionId: id });
    stalled.ws.pause();
    await flood(server, id, 16);

    const [dead, alive] = [await openSocket(server), await openSocket(server)];
    dead.ws.pause();
    // The second ping is when the dead one is given up, and by the third the stalled one has had its time as well.
    for (let ping = 0; ping < 3; ping += 1) await once(alive.ws, 'ping');
    stalled.ws.resume();
    dead.ws.resume();
    expect(await stalled.ended).toMatchObject({ code: 1006 });
    expect(await dead.ended).toMatchObject({ code: 1006 });
    expect(await alive.ask({ type: 'subscribe' })).toMatchObject({ type: 'ack' });
  }, 60_000);
});
