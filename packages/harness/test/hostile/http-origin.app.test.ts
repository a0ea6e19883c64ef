// Names and pages: a server on loopback is reachable from every page a browser shows, and must answer none of them.
import { describe, expect, it } from 'vitest';
import type { Yard } from '../../src/app.ts';
import { send } from '../http/wire.ts';
import { codeOf, shareTarget, table } from './http-target.ts';

const openTarget = shareTarget();

describe('H2: a Host that is not ours', () => {
  const health = 'GET /api/health HTTP/1.1';
  let address: ReturnType<Yard['listen']> | undefined;
  const listening = async () => {
    const { yard, facts } = await openTarget();
    address ??= yard.listen({ host: '127.0.0.1', port: 0 });
    return { yard, facts, port: (await address).port };
  };

  it.each([
    ['a stranger', health, ['Host: evil.com']],
    ['a stranger on our port', health, ['Host: evil.com:PORT']],
    ['our address as a sub-domain', health, ['Host: 127.0.0.1.evil.com']],
    ['localhost as a sub-domain', health, ['Host: localhost.evil.com']],
    ['a sub-domain of localhost', health, ['Host: evil.localhost']],
    ['a trailing dot', health, ['Host: localhost.']],
    ['no Host in HTTP/1.1', health, []],
    ['no Host in HTTP/1.0', 'GET /api/health HTTP/1.0', []],
    ['an empty Host', health, ['Host: ']],
    ['two Hosts, ours first', health, ['Host: 127.0.0.1', 'Host: evil.com']],
    ['two Hosts, ours last', health, ['Host: evil.com', 'Host: 127.0.0.1']],
    ['the same Host twice', health, ['Host: 127.0.0.1', 'HOST: 127.0.0.1']],
    ['a list of Hosts', health, ['Host: 127.0.0.1, evil.com']],
    ['user information', health, ['Host: 127.0.0.1@evil.com']],
    ['user information before ours', health, ['Host: evil.com@127.0.0.1']],
    ['a path', health, ['Host: 127.0.0.1/evil.com']],
    ['a port that is none', health, ['Host: 127.0.0.1:99999']],
    ['a port of letters', health, ['Host: 127.0.0.1:evil']],
    ['our address as one number', health, ['Host: 2130706433']],
    ['our address in hexadecimal', health, ['Host: 0x7f.1']],
    ['another address', health, ['Host: 192.168.1.10:PORT']],
    ['an IPv6 stranger', health, ['Host: [2001:db8::1]:PORT']],
    ['ours inside an IPv6 stranger', health, ['Host: [::ffff:127.0.0.1]']],
    ['an absolute target elsewhere', 'GET http://evil.com/api/health HTTP/1.1', ['Host: 127.0.0.1']],
    [
      'a target with user information',
      'GET http://127.0.0.1@evil.com/api/health HTTP/1.1',
      ['Host: 127.0.0.1'],
    ],
    ['a stranger who names us in the target', 'GET http://127.0.0.1/api/health HTTP/1.1', ['Host: evil.com']],
    ['a forwarded name', health, ['Host: evil.com', 'X-Forwarded-Host: 127.0.0.1']],
  ])('H2: %s is refused, even for health', async (_, request, headers) => {
    const { port } = await listening();
    const lines = headers.map((line) => line.replace('PORT', String(port)));
    const { status, body } = await send(port, { request, headers: lines });
    expect([400, 403]).toContain(status);
    expect(body).not.toContain('Toolyard');
  });

  it.each([
    ['our address', 'Host: 127.0.0.1:PORT'],
    ['our name', 'Host: localhost:PORT'],
    ['our name in capitals', 'Host: LOCALHOST:PORT'],
    ['our IPv6 address', 'Host: [::1]:PORT'],
    ['no port', 'Host: 127.0.0.1'],
    ['the port of a tunnel', 'Host: localhost:8080'],
  ])('H2: %s is fine', async (_, header) => {
    const { port } = await listening();
    const headers = [header.replace('PORT', String(port))];
    expect((await send(port, { request: health, headers })).status).toBe(200);
  });

  it('H2: a rebound page has no effect even with the token', async () => {
    const { yard, facts, port } = await listening();
    const before = await facts();
    const headers = [
      'Host: evil.com',
      `Authorization: Bearer ${yard.token}`,
      'Content-Type: application/json',
      'Content-Length: 2',
    ];
    const answer = await send(port, { request: 'POST /api/sessions HTTP/1.1', headers, body: '{}' });
    expect(answer.status).toBe(403);
    expect(await facts()).toEqual(before);
  });
});

describe('H3: a page of another origin', () => {
  it.each([
    { origin: 'http://evil.com' },
    { origin: 'https://evil.com' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'http://localhost:3000' },
    { origin: 'http://127.0.0.1:4243' },
    { origin: 'http://127.0.0.1' },
    { origin: 'https://127.0.0.1:4242' },
    { origin: 'http://localhost:4242' },
    { origin: 'http://127.0.0.1:4242.evil.com' },
    { origin: 'http://127.0.0.1:4242/' },
    { origin: 'http://127.0.0.1:4242, http://evil.com' },
    { origin: 'file://' },
    { origin: 'chrome-extension://abcdefghijklmnop' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://127.0.0.1:4242', 'sec-fetch-site': 'cross-site' },
  ])('H3: %j is refused on every route, with no effect', async (page) => {
    const { request, pathOf, bearer, facts } = await openTarget();
    const before = await facts();
    for (const [, route] of table) {
      const headers = new Headers({ ...bearer, 'content-type': 'application/json' });
      for (const [name, value] of Object.entries(page)) if (value !== undefined) headers.set(name, value);
      const body = route.method === 'GET' ? null : '{"content":"hi"}';
      const answer = await request(pathOf(route), { method: route.method, headers, body });
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'forbidden_origin']);
    }
    expect(await facts()).toEqual(before);
  });

  it.each([
    {},
    { origin: 'http://127.0.0.1:4242' },
    { origin: 'http://127.0.0.1:4242', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('H3: a program, or our own page, is fine: %j', async (page) => {
    const { request, bearer } = await openTarget();
    const headers = new Headers({ ...bearer, 'content-type': 'application/json' });
    for (const [name, value] of Object.entries(page)) if (value !== undefined) headers.set(name, value);
    expect((await request('/api/sessions', { method: 'POST', headers, body: '{}' })).status).toBe(201);
  });

  it('H3: no answer invites another origin to read it', async () => {
    const { request, bearer } = await openTarget();
    const preflight = { origin: 'http://evil.com', 'access-control-request-method': 'POST' };
    const answers = await Promise.all([
      request('/api/sessions', { method: 'OPTIONS', headers: preflight }),
      request('/api/sessions', { headers: { ...bearer, origin: 'http://127.0.0.1:4242' } }),
      request('/api/health'),
    ]);
    for (const { headers } of answers) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});
