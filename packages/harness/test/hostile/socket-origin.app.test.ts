// The WebSocket's handshake: a page may open a socket to any address, so whoever asks is judged like any other request.
import { createClient, routes, type ServerFrame } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import type { Yard } from '../../src/app.ts';
import { listenAt } from '../http/raw-socket.ts';
import { openLine, readAll, send, toAnswer } from '../http/wire.ts';
import { firstPending, openLedgerYard } from '../support/ledger.ts';
import { shareYard } from '../support/shared-yard.ts';
import { openTestYard } from '../support/yard.ts';
import { codeOf } from './http-target.ts';

const handshake = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** After twenty wrong tokens a yard answers 429, and no test but one brings more than one. */
const openYard = shareYard({ engine: createScriptedEngine(), maxUses: 16 });
const addresses = new WeakMap<Yard, ReturnType<typeof listenAt>>();

async function openTarget(opened?: Yard) {
  const yard = opened ?? (await openYard());
  const address = addresses.get(yard) ?? listenAt(yard);
  addresses.set(yard, address);
  const { port, open } = await address;
  /** Status and error code of a handshake with exactly these headers. */
  const request = async (headers: readonly string[], requestLine = 'GET /api/ws HTTP/1.1') => {
    const line = await openLine(port);
    const lines = headers.map((header) => header.replace('PORT', String(port)));
    line.write([requestLine, ...lines, ...handshake, '', ''].join('\r\n'));
    // A socket that opens says no more, so its end is ours.
    line.once('data', (data) => String(data).startsWith('HTTP/1.1 101') && line.end());
    const { status, body } = toAnswer(await readAll(line));
    return [status, /"code":"(\w+)"/.exec(body)?.[1]];
  };
  return { yard, port, open, request, bearer: `Authorization: Bearer ${yard.token}` };
}

const own = 'Host: 127.0.0.1:PORT';
const encode = (token: string) => Buffer.from(token).toString('base64url');

describe('H4: a socket for a stranger', () => {
  it.each([
    ['another name', 403, 'forbidden_host', ['Host: evil.com']],
    ['another name on our port', 403, 'forbidden_host', ['Host: evil.com:PORT']],
    ['our address as a sub-domain', 403, 'forbidden_host', ['Host: 127.0.0.1.evil.com']],
    ['two Hosts, ours first', 403, 'forbidden_host', ['Host: 127.0.0.1', 'Host: evil.com']],
    ['two Hosts, ours last', 403, 'forbidden_host', ['Host: evil.com', 'Host: 127.0.0.1']],
    ['no Host', 400, undefined, []],
    ['a foreign page', 403, 'forbidden_origin', [own, 'Origin: http://evil.com']],
    ['a page without an origin', 403, 'forbidden_origin', [own, 'Origin: null']],
    ['a page of another port', 403, 'forbidden_origin', [own, 'Origin: http://127.0.0.1:1']],
    ['a page of another scheme', 403, 'forbidden_origin', [own, 'Origin: https://127.0.0.1:PORT']],
    ['a page that says it is another site’s', 403, 'forbidden_origin', [own, 'Sec-Fetch-Site: cross-site']],
    [
      'our origin and another',
      403,
      'forbidden_origin',
      [own, 'Origin: http://127.0.0.1:PORT, http://evil.com'],
    ],
  ])('H4: %s is refused, with the token too', async (_, status, code, headers) => {
    const { request, bearer } = await openTarget();
    const [found, said] = await request([...headers, bearer]);
    expect(found).toBe(status);
    if (code) expect(said).toBe(code);
  });

  it.each([
    ['nothing', []],
    ['a wrong token', ['Authorization: Bearer wrong']],
    [
      'a wrong token as a subprotocol',
      [`Sec-WebSocket-Protocol: toolyard, toolyard.bearer.${encode('wrong')}`],
    ],
    ['a subprotocol that is no token', ['Sec-WebSocket-Protocol: toolyard, toolyard.bearer.%%%']],
    ['a wrong token as a plain subprotocol', ['Sec-WebSocket-Protocol: toolyard.v1, t.wrong']],
    ['the token as a bare subprotocol', ['Sec-WebSocket-Protocol: toolyard, TOKEN']],
    [
      'a wrong header beside the right subprotocol',
      ['Authorization: Bearer wrong', 'Sec-WebSocket-Protocol: RIGHT'],
    ],
    ['the token as a cookie', ['Cookie: toolyard=TOKEN', 'Origin: http://127.0.0.1:PORT']],
  ])('H4: who brings %s is not let in', async (_, headers) => {
    const { yard, request } = await openTarget();
    const filled = headers.map((header) =>
      header.replace('TOKEN', yard.token).replace('RIGHT', `toolyard.bearer.${encode(yard.token)}`),
    );
    expect(await request([own, ...filled])).toEqual([401, 'unauthorized']);
  });

  it.each(['token', 'access_token', 'authorization'])(
    'H4: a token in the address is none: %s',
    async (key) => {
      const { yard, request } = await openTarget();
      const requestLine = `GET /api/ws?${key}=${yard.token} HTTP/1.1`;
      expect(await request([own], requestLine)).toEqual([401, 'unauthorized']);
    },
  );

  it('H4: a thousand wrong tokens are limited here too', async () => {
    const { request, bearer } = await openTarget(await openTestYard({ engine: createScriptedEngine() }));
    const statuses = new Map<unknown, number>();
    for (let attempt = 0; attempt < 40; attempt++) {
      const [status] = await request([
        own,
        `Sec-WebSocket-Protocol: toolyard.bearer.${encode(`no-${attempt}`)}`,
      ]);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 20, 429: 20 });
    expect(await request([own, bearer])).toEqual([101, undefined]);
  });

  it('H4, A11: an agent’s token opens none, so nothing is approved over one', async () => {
    const { yard, ran } = await openLedgerYard();
    const { port } = await listenAt(yard);
    const client = yard.client();
    const { id } = await client.sessions.create();
    await client.sessions.send(id, 'pay mallory');
    await firstPending(yard);
    const { secret } = await client.tokens.create({ name: 'agent', role: 'assistant' });
    const line = await openLine(port);
    const headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${secret}`, ...handshake];
    line.write(['GET /api/ws HTTP/1.1', ...headers, '', ''].join('\r\n'));
    const { status, body } = toAnswer(await readAll(line));
    expect([status, body]).toEqual([403, expect.stringContaining('person_only')]);
    expect([ran, (await client.approvals.list({ state: 'pending' })).items.length]).toEqual([[], 1]);
  });
});

describe('H4: a socket for our own', () => {
  it.each([
    ['a program with the token', []],
    ['a program on the name localhost', ['Host: localhost:PORT']],
    ['our own page', ['Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: same-origin']],
  ])('H4: %s gets one', async (_, headers) => {
    const { request, bearer } = await openTarget();
    const host = headers.some((header) => header.startsWith('Host')) ? [] : [own];
    expect(await request([...host, ...headers, bearer])).toEqual([101, undefined]);
  });

  it('H4: the token as a subprotocol gets one, and is not said back', async () => {
    const { open } = await openTarget();
    expect((await open()).ws.protocol).toBe('toolyard.v1');
  });

  it('H4: programs that offer the subprotocols of before get one, too', async () => {
    const { yard, open } = await openTarget();
    const protocols = ['toolyard', `toolyard.bearer.${encode(yard.token)}`];
    expect((await open({ protocols })).ws.protocol).toBe('toolyard');
  });
});

describe('H4: what is not quite a socket', () => {
  it('H4: a plain request is told what the address is for', async () => {
    const { yard } = await openTarget();
    const headers = { authorization: `Bearer ${yard.token}` };
    const answer = await yard.fetch(new Request(`http://127.0.0.1${routes.openSocket.path}`, { headers }));
    expect([answer.status, await codeOf(answer)]).toEqual([426, 'upgrade_required']);
  });

  it('H4: an upgrade elsewhere, or to something else, is an ordinary request', async () => {
    const { yard, port } = await openTarget();
    const headers = (upgrade: string) => [
      'Host: 127.0.0.1',
      `Authorization: Bearer ${yard.token}`,
      `Upgrade: ${upgrade}`,
    ];
    for (const upgrade of ['websocket', 'h2c']) {
      const request = 'GET /api/sessions HTTP/1.1';
      expect((await send(port, { request, headers: headers(upgrade) })).status).toBe(200);
    }
    const body = { request: 'POST /api/sessions HTTP/1.1', body: '{}' };
    const more = ['Connection: Upgrade', 'Content-Type: application/json', 'Content-Length: 2'];
    expect((await send(port, { ...body, headers: [...headers('websocket'), ...more] })).status).toBe(201);
  });

  it.each([
    ['without a key', ['Sec-WebSocket-Version: 13'], 400],
    ['with a broken key', ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: x'], 400],
    ['of another version', ['Sec-WebSocket-Version: 7', handshake[3] ?? ''], 400],
  ])('H4: a handshake %s is refused, and the server lives', async (_, lines, status) => {
    const { port, bearer } = await openTarget();
    const line = await openLine(port);
    const headers = ['Host: 127.0.0.1', bearer, 'Connection: Upgrade', 'Upgrade: websocket', ...lines];
    line.write(['GET /api/ws HTTP/1.1', ...headers, '', ''].join('\r\n'));
    expect(toAnswer(await readAll(line)).status).toBe(status);
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await client.health()).toMatchObject({ ok: true });
  });
});

describe('H4: a token that ends', () => {
  it.each(['revoked', 'expired'])('H4: closes its socket when it is %s, and nobody else’s', async (how) => {
    const { yard, open } = await openTarget();
    const client = yard.client();
    const expires = how === 'expired' ? { expiresInDays: 1_500 / 86_400_000 } : {};
    const token = await client.tokens.create({ name: 't', kind: 'person', ...expires });
    const [theirs, mine] = [await open({ token: token.secret }), await open()];
    await theirs.ask({ type: 'subscribe' });
    await mine.ask({ type: 'subscribe' });
    if (how === 'revoked') await client.tokens.revoke(token.id);
    expect(await theirs.ended).toMatchObject({ code: 1008 });
    const { id } = await client.sessions.create();
    await client.sessions.send(id, 'hi');
    const isOfSession = (frame: ServerFrame) => frame.type === 'event' && frame.event.sessionId === id;
    expect(await mine.find(isOfSession)).toMatchObject({ event: { sessionId: id } });
    expect(theirs.frames.filter(({ type }) => type === 'event')).toEqual([]);
  });
});
