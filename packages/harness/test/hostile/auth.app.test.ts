import { describe, expect, it } from 'vitest';
import { openTestYard } from '../support/yard.ts';

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
  async function login() {
    const yard = await openTestYard();
    const { url } = await yard.client().createLoginLink();
    const answer = await yard.fetch(new Request(url, { headers: { 'sec-fetch-site': 'cross-site' } }));
    const setCookie = answer.headers.get('set-cookie') ?? '';
    return { yard, url, answer, setCookie, cookie: setCookie.split(';')[0] ?? '' };
  }

  it('logs a browser in once, with a cookie no script can read and no other site can send', async () => {
    const { yard, url, answer, setCookie, cookie } = await login();
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/');
    expect(setCookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect((await yard.fetch(ask({ cookie }))).status).toBe(200);
    expect((await yard.fetch(new Request(url))).status).toBe(401);
    const secret = cookie.split('=')[1] ?? '';
    expect((await yard.fetch(ask({ authorization: `Bearer ${secret}` }))).status).toBe(401);
  });

  it('gives a cookie that acts only for our own page', async () => {
    const { yard, cookie } = await login();
    const status = async (headers: Record<string, string>) =>
      (await yard.fetch(ask({ cookie, ...headers }, 'POST'))).status;
    expect(await status({ origin: base })).toBe(201);
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(201);
    expect(await status({})).toBe(401);
    expect(await status({ origin: 'http://evil.com' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ origin: 'http://127.0.0.1:3000' })).toBe(403);
  });

  it('that was used brings a person to the page, without a cookie', async () => {
    const { yard, url } = await login();
    const again = await yard.fetch(new Request(url, { headers: { accept: 'text/html,*/*;q=0.8' } }));
    expect(Object.fromEntries(again.headers)).toMatchObject({ location: '/#link-expired' });
    expect({ status: again.status, cookie: again.headers.get('set-cookie') }).toEqual({
      status: 303,
      cookie: null,
    });
  });

  it('cannot be guessed', async () => {
    const { yard } = await login();
    for (const code of ['', 'x', '../..']) {
      expect((await yard.fetch(new Request(`${base}/login?code=${code}`))).status).toBe(401);
    }
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
