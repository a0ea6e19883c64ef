// Tokens, forms and links: who may make the server do something. What is refused must have had no effect.
import { routes } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { send } from '../http/wire.ts';
import { codeOf, shareTarget, table } from './http-target.ts';

const openTarget = shareTarget();
/** Four of what stands in the place of the token count as guesses, and after twenty a yard answers 429. */
const openGuessedAt = shareTarget({ maxUses: 4 });

describe('H1: without the person’s token', () => {
  const guarded = table.filter(([, route]) => !route.public);

  it.each(guarded)('H1: %s answers 401, whatever stands in the place of the token', async (_, route) => {
    const { yard, request, pathOf, facts } = await openGuessedAt();
    const { method } = route;
    const path = pathOf(route);
    const before = await facts();
    const credentials: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Bearer ' },
      { authorization: 'Bearer' },
      { authorization: yard.token },
      { authorization: `Basic ${btoa(`toolyard:${yard.token}`)}` },
      { authorization: `Bearer ${yard.token}x` },
      { authorization: `Bearer ${yard.token.slice(0, -1)}` },
      { authorization: `Bearer ${yard.token} ${yard.token}` },
      { authorization: `Bearer ${yard.token.toUpperCase()}` },
      { 'x-api-key': yard.token },
      { cookie: `token=${yard.token}` },
    ];
    const answers = await Promise.all([
      ...credentials.map((headers) => request(path, { method, headers })),
      ...['token', 'access_token', 'authorization'].map((key) =>
        request(`${path}?${key}=${yard.token}`, { method }),
      ),
    ]);
    for (const answer of answers) {
      expect([answer.status, await codeOf(answer)]).toEqual([401, 'unauthorized']);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect(await facts()).toEqual(before);
  });

  it.each(table)('H1: %s lets the token in', async (_, route) => {
    const { request, pathOf, bearer } = await openTarget();
    const answer = await request(pathOf(route), { method: route.method, headers: bearer });
    expect([401, 403]).not.toContain(answer.status);
    // What the id names is not there; the route is.
    if (answer.status === 404)
      expect(await codeOf(answer)).toMatch(
        /^(approval|question|grant|token|output|agent|run|task)_not_found$|^unknown_tool$/,
      );
    else await answer.body?.cancel();
  });

  it('H1: only the routes marked public answer: health, and the login, which wants a code', async () => {
    const { request, pathOf } = await openTarget();
    expect(table.filter(([, route]) => route.public).map(([name]) => name)).toEqual(['health', 'logIn']);
    const code = { method: 'POST', body: '{"code":""}', headers: { 'content-type': 'application/json' } };
    expect(await codeOf(await request(pathOf(routes.logIn), code))).toBe('forbidden_origin');
    expect((await request(pathOf(routes.health))).status).toBe(200);
    expect((await request(pathOf(routes.health), { method: 'HEAD' })).status).toBe(200);
    expect((await request(pathOf(routes.health), { method: 'POST' })).status).toBe(401);
  });

  it.each([
    '/api',
    '/api/nope',
    '/api/sessions/',
    '/api/health/',
    '/api/health/../nope',
    '/api/health%2f..%2fsessions',
    '//api/health',
    '/API/HEALTH',
    '/openapi.yaml',
    '/api/ws/',
    '/.git/config',
    '/api/sessions/ses_0000000000000000000000/nope',
    '/%00',
    '/%ff%fe',
    `/${'a'.repeat(8_000)}`,
  ])('H1: %s tells nothing without a token, and 404 with it', async (path) => {
    const { request, bearer } = await openTarget();
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect((await request(path, { method })).status).toBe(401);
      expect((await request(path, { method, headers: bearer })).status).toBe(404);
    }
  });

  it('H1: /mcp tells nothing without a token', async () => {
    const { request } = await openTarget();
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect((await request('/mcp', { method })).status).toBe(401);
    }
  });
});

describe('H5: what a form or a link can send', () => {
  it.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-patch+json',
    'text/json',
    '',
  ])('H5: JSON sent as "%s" is refused with no effect', async (type) => {
    const { request, id, bearer, facts } = await openTarget();
    const before = await facts();
    for (const [path, body] of [
      ['/api/sessions', '{}'],
      [`/api/sessions/${id}/messages`, '{"content":"hi"}'],
      [`/api/sessions/${id}/interrupt`, '{}'],
    ] as const) {
      const headers = { ...bearer, 'content-type': type };
      const answer = await request(path, { method: 'POST', headers, body: new TextEncoder().encode(body) });
      expect([answer.status, await codeOf(answer)]).toEqual([415, 'unsupported_media_type']);
    }
    expect(await facts()).toEqual(before);
  });

  it('H5: no GET has an effect, whatever body, header or query says it is a POST', async () => {
    const { yard, pathOf, facts } = await openTarget();
    const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
    const before = await facts();
    const paths = table.map(([, route]) => pathOf(route) + (route.stream === 'always' ? '?after=999' : ''));
    for (const path of new Set(paths)) {
      for (const method of ['GET', 'HEAD']) {
        const headers = [
          'Host: 127.0.0.1',
          `Authorization: Bearer ${yard.token}`,
          'Accept: application/json',
          'X-HTTP-Method-Override: POST',
          'X-HTTP-Method: POST',
          'X-Method-Override: DELETE',
          'Content-Type: application/json',
          'Content-Length: 16',
        ];
        const request = `${method} ${path} HTTP/1.1`;
        const { status } = await send(port, { request, headers, body: '{"content":"hi"}' });
        expect([200, 400, 404, 405, 426]).toContain(status);
      }
    }
    expect(await facts()).toEqual(before);
  });

  it('H5: a method that a path does not have is refused, and says which it has', async () => {
    const { request, pathOf, bearer, facts } = await openTarget();
    const before = await facts();
    for (const [, route] of table) {
      const own = table.filter(([, other]) => other.path === route.path).map(([, { method }]) => method);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (one) => !own.includes(one as 'GET'),
      )) {
        const answer = await request(pathOf(route), { method, headers: bearer });
        expect([answer.status, answer.headers.get('allow')?.split(', ').sort()]).toEqual([405, own.sort()]);
      }
    }
    expect(await facts()).toEqual(before);
  });
});
