// Too much, too slow, too many: one bad client costs the server little and the other clients nothing.

import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLine, readAll, send, sendRaw, toAnswer } from '../http/wire.ts';
import { openTestYard, temporaryDirectory } from '../support/yard.ts';
import { startYardProcess } from './yard-process.ts';

const megabyte = 1024 * 1024;

async function startApart() {
  const server = await startYardProcess(join(await temporaryDirectory(), 'home'));
  onTestFinished(server.end);
  return server;
}

async function openImpatientYard() {
  const yard = await openTestYard();
  const limits = { headersTimeout: 700, requestTimeout: 1_000, connectionsCheckingInterval: 50 };
  const { port, url } = await yard.listen({ host: '127.0.0.1', port: 0, limits });
  const headers = [
    'Host: 127.0.0.1',
    `Authorization: Bearer ${yard.token}`,
    'Content-Type: application/json',
  ];
  /** The slowest of many answers to a client that behaves, asked until `done`. */
  const slowestAnswer = async (done: Promise<unknown>): Promise<number> => {
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    let slowest = 0;
    while (!isDone) {
      const started = performance.now();
      await (await fetch(`${url}/api/health`)).text();
      slowest = Math.max(slowest, performance.now() - started);
      await pause(10);
    }
    return slowest;
  };
  return { yard, port, headers, slowestAnswer };
}

/** Writes pieces as fast as they are taken, until the server answers. Says how many bytes it took before. */
async function pour(line: Socket, piece: Buffer, limit: number): Promise<number> {
  let isAnswered = false;
  line.once('data', () => {
    isAnswered = true;
  });
  let poured = 0;
  for (; poured < limit && !isAnswered && line.writable; poured += piece.length) {
    if (!line.write(piece))
      await new Promise((resolve) => line.once('drain', resolve).once('close', resolve));
  }
  return poured;
}

/** Writes a letter every now and then, until the server closes. */
async function drip(line: Socket, letter: string): Promise<void> {
  while (line.writable) {
    line.write(letter);
    await pause(20);
  }
}

describe('H8: a body of 100 MB', () => {
  it.each([
    ['declared', `Content-Length: ${100 * megabyte}`, Buffer.alloc(65_536, ' ')],
    ['in chunks', 'Transfer-Encoding: chunked', Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`)],
  ])('H8: %s is answered 413 long before its end, kept nowhere, and cut off', async (_, length, piece) => {
    const server = await startApart();
    await server.client.sessions.list();
    const before = await server.peak();
    const line = await openLine(server.port);
    line.write(
      `POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n` +
        `Content-Type: application/json\r\n${length}\r\n\r\n`,
    );
    const [answer, poured] = await Promise.all([readAll(line), pour(line, piece, 100 * megabyte)]);
    expect(toAnswer(answer).status).toBe(413);
    expect(answer).toContain('payload_too_large');
    expect(poured).toBeLessThan(30 * megabyte);
    expect((await server.peak()) - before).toBeLessThan(48 * megabyte);
    expect((await server.client.sessions.list()).items).toEqual([]);
  });

  it('H8: without a token it is refused at once, also when it never comes', async () => {
    const { port } = await openImpatientYard();
    const headers = ['Host: 127.0.0.1', `Content-Length: ${100 * megabyte}`];
    const { status } = await send(port, { request: 'POST /api/sessions HTTP/1.1', headers });
    expect(status).toBe(401);
  });

  it('H8: what is just small enough is taken, one byte more is not', async () => {
    const { yard, port, headers } = await openImpatientYard();
    const { id } = await yard.client().sessions.create();
    const ask = (size: number) => {
      const body = `{"content":"${'x'.repeat(size - 14)}"}`;
      const request = `POST /api/sessions/${id}/messages HTTP/1.1`;
      return send(port, { request, headers: [...headers, `Content-Length: ${body.length}`], body });
    };
    expect((await ask(8 * megabyte)).status).toBe(202);
    expect((await ask(8 * megabyte + 1)).status).toBe(413);
  });
});

describe('H8: a client that takes its time', () => {
  it('H8: slow headers end in 408 and delay nobody', async () => {
    const { port, slowestAnswer } = await openImpatientYard();
    const line = await openLine(port);
    line.write('GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    const answer = readAll(line);
    void drip(line, 'a');
    expect(await slowestAnswer(answer)).toBeLessThan(500);
    expect(toAnswer(await answer).status).toBe(408);
  });

  it('H8: a slow body ends in 408, has no effect and delays nobody', async () => {
    const { yard, port, headers, slowestAnswer } = await openImpatientYard();
    const line = await openLine(port);
    line.write(`POST /api/sessions HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: 1000\r\n\r\n{`);
    const answer = readAll(line);
    void drip(line, ' ');
    expect(await slowestAnswer(answer)).toBeLessThan(500);
    expect(toAnswer(await answer).status).toBe(408);
    expect((await yard.client().sessions.list()).items).toEqual([]);
  });

  it('H8: hundreds of silent connections are let go and delay nobody', async () => {
    const { port, slowestAnswer } = await openImpatientYard();
    const lines = await Promise.all(Array.from({ length: 300 }, () => openLine(port)));
    const gone = Promise.all(lines.map(readAll));
    expect(await slowestAnswer(gone)).toBeLessThan(500);
    expect(new Set((await gone).map((text) => toAnswer(text).status))).toEqual(new Set([408]));
  });
});

describe('H8: requests that are malformed', () => {
  it.each([
    ['one header of 64 KB', 431, [`X-Bomb: ${'a'.repeat(65_536)}`]],
    ['five thousand headers', 431, Array.from({ length: 5_000 }, (_, index) => `X-${index}: a`)],
    ['a header without a colon', 400, ['nonsense']],
    ['a NUL in a header', 400, ['X-Nul: a\0b']],
    ['a space before the colon', 400, ['Content-Length : 2']],
    ['a length and chunks', 400, ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['two lengths', 400, ['Content-Length: 2', 'Content-Length: 3']],
    ['a negative length', 400, ['Content-Length: -1']],
    ['an unknown transfer encoding', 400, ['Transfer-Encoding: chunked, identity']],
  ])('H8: %s is refused with %s and no effect', async (_, status, bad) => {
    const { yard, port, headers } = await openImpatientYard();
    const body = `0\r\n\r\nPOST /api/sessions HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: 2\r\n\r\n{}`;
    const request = 'POST /api/sessions HTTP/1.1';
    const answer = await send(port, { request, headers: [...headers, ...bad], body });
    expect(answer.status).toBe(status);
    expect((await yard.client().sessions.list()).items).toEqual([]);
  });

  it('H8: pipelined requests are answered each, in order', async () => {
    const { port } = await openImpatientYard();
    const ask = (path: string, rest = '') => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${rest}\r\n`;
    const paths = ['/api/health', '/api/sessions', '/api/health', '/nope'];
    const line = await openLine(port);
    line.write(paths.map((path) => ask(path)).join('') + ask('/api/health', 'Connection: close\r\n'));
    const statuses = [...(await readAll(line)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '401', '200', '401', '200']);
  });

  it('H8: bytes that are no HTTP at all are answered 400', async () => {
    const { port } = await openImpatientYard();
    expect((await sendRaw(port, Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]))).status).toBe(400);
  });
});

/** What a line says until the session behind it is idle again. */
async function readUntilIdle(line: Socket | undefined): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of line?.setEncoding('latin1') ?? []) {
    chunks.push(chunk);
    if (chunks.slice(-2).join('').endsWith('"status":"idle"}}\n\n\r\n')) break;
  }
  return chunks.join('');
}

describe('H9: readers that do not read', () => {
  it('H9: a flood past stalled readers costs little memory, delays nobody, and they miss nothing', async () => {
    const server = await startApart();
    const { client } = server;
    const readToEnd = async (id: string) => {
      let last = 0;
      for await (const event of client.sessions.events(id)) {
        expect(event.seq).toBe(last + 1);
        last = event.seq;
        if (event.type === 'turn_end') break;
      }
      return last;
    };
    // As much as will come: what a process grows to once is not what readers cost.
    const warm = await client.sessions.create();
    await client.sessions.send(warm.id, '20');
    await readToEnd(warm.id);
    const before = await server.memory();

    const { id } = await client.sessions.create();
    const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n\r\n`;
    const openStalled = async () => {
      const lines = await Promise.all(Array.from({ length: 5 }, () => openLine(server.port)));
      for (const line of lines) line.pause().write(`GET /api/sessions/${id}/events ${head}`);
      return lines;
    };
    const stalled = await openStalled();
    await client.sessions.send(id, '20');
    const last = await readToEnd(id);
    await openStalled();
    // All of it once more, which is what the late ones could have been sent meanwhile.
    await readToEnd(id);
    expect((await server.memory()) - before).toBeLessThan(64 * megabyte);

    const text = await readUntilIdle(stalled[0]);
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(ids).toEqual(Array.from({ length: last + 1 }, (_, index) => index + 1));
  }, 90_000);
});
