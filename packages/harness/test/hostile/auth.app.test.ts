import { CreatedToken, createClient, ErrorBody } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import type { Yard } from '../../src/app.ts';
import { openSocket } from '../http/raw-socket.ts';
import { send } from '../http/wire.ts';
import { memoryDirectory, openTestYard } from '../support/yard.ts';

const base = 'http://127.0.0.1';

function ask(headers: Record<string, string>, method = 'GET', path = '/api/sessions'): Request {
  const body = method === 'POST' ? { body: '{}' } : {};
  return new Request(`${base}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...body,
  });
}

describe('the token', () => {
  it('is accepted in one spelling, with nothing around it', async () => {
    const yard = await openTestYard();
    const statuses = [];
    for (const authorization of [
      `Bearer ${yard.token}`,
      `bearer ${yard.token}`,
      yard.token,
      `Bearer  ${yard.token}`,
      `Bearer ${yard.token.slice(0, -1)}`,
      `Basic ${yard.token}`,
    ]) {
      statuses.push((await yard.fetch(ask({ authorization }))).status);
    }
    expect(statuses).toEqual([200, 200, 401, 401, 401, 401]);
  });

  it('H6: a thousand wrong ones are limited; the right one still passes', async () => {
    const yard = await openTestYard();
    const counts = new Map<number, number>();
    for (let attempt = 0; attempt < 1_000; attempt++) {
      const { status } = await yard.fetch(ask({ authorization: `Bearer wrong-${attempt}` }));
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({ 401: 20, 429: 980 });
    expect((await yard.fetch(ask({ authorization: `Bearer ${yard.token}` }))).status).toBe(200);
  });

  it('of an agent opens no route but its tools', async () => {
    const yard = await openTestYard();
    const { secret } = await yard.client().tokens.create({ name: 'a', role: 'assistant' });
    const authorization = `Bearer ${secret}`;
    expect((await yard.fetch(ask({ authorization }))).status).toBe(403);
    expect((await yard.fetch(ask({ authorization }, 'POST', '/api/tokens'))).status).toBe(403);
  });

  it('that is revoked or has expired opens nothing', async () => {
    const yard = await openTestYard();
    const client = yard.client();
    const kept = await client.tokens.create({ name: 'b', kind: 'person' });
    const short = await client.tokens.create({ name: 'c', kind: 'person', expiresInDays: 1e-9 });
    expect((await yard.fetch(ask({ authorization: `Bearer ${kept.secret}` }))).status).toBe(200);
    await client.tokens.revoke(kept.id);
    for (const { secret } of [kept, short]) {
      expect((await yard.fetch(ask({ authorization: `Bearer ${secret}` }))).status).toBe(401);
    }
    const { items } = await client.tokens.list();
    expect(JSON.stringify(items)).not.toContain(short.secret);
  });
});

describe('a revoked token', () => {
  it('stays revoked, whatever requests with it were under way', async () => {
    const yard = await openTestYard();
    const client = yard.client();
    for (let round = 0; round < 30; round++) {
      const { id, secret } = await client.tokens.create({ name: 'r', kind: 'person' });
      const authorization = `Bearer ${secret}`;
      await Promise.all([
        client.tokens.revoke(id),
        yard.fetch(ask({ authorization })),
        yard.fetch(ask({ authorization })),
      ]);
      expect([401, 429]).toContain((await yard.fetch(ask({ authorization }))).status);
    }
    expect((await client.tokens.list()).items).toEqual([]);
  });
});

describe('a login link', () => {
  const html = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0' };

  /** A yard on a port, with what its page would send. */
  async function openPage(options: Parameters<typeof openTestYard>[0] = {}) {
    const yard = await openTestYard(options);
    const { url, port } = await yard.listen({ host: '127.0.0.1', port: 0 });
    const owner = createClient({ baseUrl: url, token: yard.token });
    const newCode = async () => toCode((await owner.createLoginLink()).url);
    const post = (code: string, headers: Record<string, string> = { origin: url }) =>
      fetch(`${url}/api/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...html, ...headers },
        body: JSON.stringify({ code }),
      });
    const logIn = async () => CreatedToken.parse(await (await post(await newCode())).json());
    /** Status of a request with these headers; a POST opens a session. */
    const ask = (headers: Record<string, string>, method = 'GET') =>
      send(port, {
        request: `${method} /api/sessions HTTP/1.1`,
        headers: [
          ...Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map((each) => each.join(': ')),
          ...(method === 'POST' ? ['content-type: application/json', 'content-length: 2'] : []),
        ],
        ...(method === 'POST' && { body: '{}' }),
      }).then(({ status }) => status);
    return { yard, url, port, owner, newCode, post, logIn, ask };
  }

  const toCode = (link: string) => new URL(link).hash.replace('#login=', '');

  it('has its code where no browser sends it, and gives the page a token, once', async () => {
    const { url, owner, post } = await openPage();
    const link = (await owner.createLoginLink()).url;
    expect(link).toMatch(new RegExp(`^${url}/#login=[\\w-]{32}$`));
    const answer = await post(toCode(link));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(answer.headers.get('set-cookie')).toBeNull();
    const { secret, ...token } = CreatedToken.parse(await answer.json());
    expect(token).toMatchObject({ kind: 'person', browser: true, origin: url, name: 'Chrome on Linux' });
    const again = await post(toCode(link));
    expect([again.status, await again.json()]).toMatchObject([
      401,
      { error: { data: { reason: 'link_used' } } },
    ]);
    expect(JSON.stringify((await owner.tokens.list()).items)).not.toContain(secret);
  });

  it('says whether it was used, has expired or is not known', async () => {
    let time = Date.now();
    const { newCode, post } = await openPage({ clock: { now: () => time } });
    const code = await newCode();
    time += 60_000;
    const reasons = [];
    for (const each of [code, 'x', '', '../..']) {
      const { error } = ErrorBody.parse(await (await post(each)).json());
      reasons.push([error.code, error.data?.reason]);
    }
    const unknown = ['unauthorized', 'link_unknown'];
    expect(reasons).toEqual([['unauthorized', 'link_expired'], unknown, unknown, unknown]);
  });

  it('H6: is not guessed, and whoever guesses keeps nobody else out', async () => {
    const { newCode, post } = await openPage();
    const statuses = new Map<number, number>();
    for (let attempt = 0; attempt < 30; attempt++) {
      const { status } = await post(`guess-${attempt}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 20, 429: 10 });
    expect((await post(await newCode())).status).toBe(201);
  });

  it('is of no use to a program or to another page, which leave it as it was', async () => {
    const { url, newCode, post } = await openPage();
    const code = await newCode();
    const statuses = [];
    for (const headers of [
      {},
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
    ])
      statuses.push((await post(code, headers as Record<string, string>)).status);
    expect(statuses).toEqual([403, 403, 403, 403]);
    expect((await post(code, { origin: url })).status).toBe(201);
  });

  it('gives a token that works for that page alone: exactly its Host, and its own Origin', async () => {
    const { url, port, logIn, ask } = await openPage();
    const authorization = `Bearer ${(await logIn()).secret}`;
    const reads = async (headers: Record<string, string>) => ask({ authorization, ...headers });
    const acts = async (headers: Record<string, string>) => ask({ authorization, ...headers }, 'POST');
    const sameOrigin = { 'sec-fetch-site': 'same-origin' };
    expect([await reads({ origin: url }), await reads(sameOrigin)]).toEqual([200, 200]);
    expect([await acts({ origin: url }), await acts({ ...sameOrigin, origin: url })]).toEqual([201, 201]);
    // A program that has stolen it, and does not know better.
    expect([await reads({}), await acts({})]).toEqual([401, 401]);
    for (const origin of ['http://127.0.0.1:1', 'null', 'https://evil.example', `http://localhost:${port}`])
      expect(`${origin} ${await reads({ origin })} ${await acts({ origin })}`).toBe(`${origin} 403 403`);
    // Another name of this server is another page.
    for (const host of [`localhost:${port}`, '127.0.0.1', '127.0.0.1:1', `[::1]:${port}`])
      expect(`${host} ${await acts({ host, origin: `http://${host}` })}`).toBe(`${host} 401`);
  });

  it('gives nothing that works as a cookie, and a cookie of an older version is cleared', async () => {
    const { yard, url, logIn, ask } = await openPage();
    const { secret } = await logIn();
    for (const value of [secret, yard.token])
      for (const method of ['GET', 'POST'])
        expect(await ask({ cookie: `toolyard=${value}`, origin: url }, method)).toBe(401);
    const cleared = await fetch(url, { headers: { cookie: `other=1; toolyard=${secret}` } });
    expect(cleared.headers.getSetCookie()).toEqual([expect.stringMatching(/^toolyard=; .*Max-Age=0$/)]);
    expect((await fetch(url, { headers: { cookie: 'other=1' } })).headers.getSetCookie()).toEqual([]);
  });

  it('opens a socket for its page, as a subprotocol that is not said back', async () => {
    const { url, port, logIn } = await openPage();
    const { secret } = await logIn();
    const open = (origin: string) =>
      openSocket({ port, protocols: ['toolyard.v1', `t.${secret}`], headers: { origin } });
    expect((await open(url)).ws.protocol).toBe('toolyard.v1');
    await expect(open('http://127.0.0.1:1')).rejects.toThrow('403');
    await expect(openSocket({ port, protocols: ['toolyard.v1', `t.${secret}`] })).rejects.toThrow('401');
  });

  it('gives a login that ends when the server moves to another port, and stays over when it comes back', async () => {
    const home = await memoryDirectory();
    const first = await openPage({ home });
    const { id, secret } = await first.logIn();
    const { port } = first;
    await first.yard.close();
    const tryAt = async (yard: Yard, at: number) => {
      const { url } = await yard.listen({ host: '127.0.0.1', port: at });
      const origin = `http://127.0.0.1:${port}`;
      const headers = [`Host: 127.0.0.1:${port}`, `Origin: ${origin}`, `Authorization: Bearer ${secret}`];
      const { status } = await send(Number(new URL(url).port), {
        request: 'GET /api/sessions HTTP/1.1',
        headers,
      });
      const listed = (await yard.client().tokens.list()).items.map((token) => token.id);
      await yard.close();
      return [status, listed];
    };
    expect(await tryAt(await openTestYard({ home }), port)).toEqual([200, [id]]);
    expect(await tryAt(await openTestYard({ home }), 0)).toEqual([401, []]);
    expect(await tryAt(await openTestYard({ home }), port)).toEqual([401, []]);
  });
});

describe('listening beyond this machine', () => {
  it('H7: is refused without a token of the operator’s own', async () => {
    const yard = await openTestYard();
    for (const host of ['0.0.0.0', '::']) {
      await expect(yard.listen({ host, port: 0 })).rejects.toMatchObject({ message: /Set TOOLYARD_TOKEN/ });
    }
    const own = await openTestYard({ env: { TOOLYARD_TOKEN: 'a-long-secret-of-my-own' } });
    expect(await own.listen({ host: '0.0.0.0', port: 0 })).toMatchObject({ host: '0.0.0.0' });
  });
});
