import { describe, expect, it } from 'vitest';
import { parseJson, readBody } from '../../../src/http/server/body.ts';
import { openTestYard } from '../../support/yard.ts';
import { openLine, send } from '../wire.ts';

function toRequest(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  const all = { 'content-type': 'application/json', ...headers };
  return new Request('http://127.0.0.1/', { method: 'POST', headers: all, body });
}

describe('a body', () => {
  it('is nothing when it is empty, whatever its type', async () => {
    expect(await readBody(toRequest(null))).toBeUndefined();
    expect(await readBody(toRequest('', { 'content-type': 'text/plain' }))).toBeUndefined();
    expect(await readBody(new Request('http://127.0.0.1/'))).toBeUndefined();
  });

  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/json ;charset=UTF-8'])(
    'is read as %s',
    async (type) => {
      expect(await readBody(toRequest('{"a":[1,"é🌍"]}', { 'content-type': type }))).toEqual({
        a: [1, 'é🌍'],
      });
    },
  );

  it('is read in pieces, cut anywhere, and no further than its limit', async () => {
    const text = new TextEncoder().encode('{"a":"é🌍"}');
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of text) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const request = new Request('http://127.0.0.1/', toInit(pieces));
    expect(await readBody(request)).toEqual({ a: 'é🌍' });

    let given = 0;
    const endless = new ReadableStream({
      pull(controller) {
        given += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const reading = readBody(new Request('http://127.0.0.1/', toInit(endless)));
    await expect(reading).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(given).toBeLessThan(5 * 1024 * 1024);
  });

  it('that breaks off has no effect and is nobody’s error', async () => {
    const errors: string[] = [];
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (message: string) => void errors.push(message),
    };
    const yard = await openTestYard({ logger });
    const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
    for (const length of ['Content-Length: 20', 'Transfer-Encoding: chunked']) {
      const line = await openLine(port);
      line.write(
        `POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${yard.token}\r\n` +
          `Content-Type: application/json\r\n${length}\r\n\r\n2\r\n{}`,
      );
      await new Promise((resolve) => setTimeout(resolve, 30));
      line.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([errors, (await yard.client().sessions.list()).items]).toEqual([[], []]);
  });

  it('may come in chunks, or not at all, over a socket', async () => {
    const yard = await openTestYard();
    const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
    const headers = ['Host: 127.0.0.1', `Authorization: Bearer ${yard.token}`];
    const chunked = await send(port, {
      request: 'POST /api/sessions HTTP/1.1',
      headers: [...headers, 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
      body: '3\r\n{"t\r\n10\r\nitle":"in parts"\r\n1\r\n}\r\n0\r\n\r\n',
    });
    expect(chunked.status).toBe(201);
    const session: { id: string; title: string } = JSON.parse(chunked.body);
    expect(session.title).toBe('in parts');
    const request = `POST /api/sessions/${session.id}/interrupt HTTP/1.1`;
    expect((await send(port, { request, headers })).status).toBe(200);
  });
});

function toInit(body: ReadableStream) {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' };
}

describe('JSON from outside', () => {
  it.each(['null', '0', '"[[["', '{"a":[{"b":{}}]}', `${'['.repeat(64)}${']'.repeat(64)}`, '"\\\\\\"["'])(
    'is parsed as JSON.parse does: %s',
    (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    },
  );

  it.each([
    `${'['.repeat(65)}${']'.repeat(65)}`,
    `{"a":"\\\\"${',"b":['.repeat(1)}${'['.repeat(70)}`,
    '{"__proto__":1}',
    '{',
  ])('is refused when it is too deep, touches a prototype or is broken: %s', (text) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  });
});
