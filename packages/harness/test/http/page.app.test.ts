import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createPage, isPage } from '../../src/http/page.ts';
import type { HttpRouter } from '../../src/http/server/mount.ts';
import { openTestYard, temporaryDirectory } from '../support/yard.ts';
import { send } from './wire.ts';

const built = fileURLToPath(new URL('../../dist/web', import.meta.url));
const index = '<html><meta name="style-nonce" content="" /><script src="/assets/main-1.js"></script></html>';

/** The page alone, with files of the test's. */
async function openPage(files: Record<string, string> = usualFiles) {
  const root = await temporaryDirectory();
  await mkdir(join(root, 'assets'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const app: HttpRouter = new Hono();
  createPage(root).mount(app);
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request(`http://127.0.0.1${path}`, { headers });
  return { root, app, get };
}
const usualFiles = { 'index.html': index, 'icon.svg': '<svg/>', 'assets/main-1.js': 'start()' };

describe('the page', () => {
  it('has a policy that lets nothing in from elsewhere and nothing run that is not one of its files', async () => {
    const { get } = await openPage();
    const { status, headers } = await get('/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(status).toBe(200);
    expect(policy.replace(/nonce-[\w-]{22}/, 'nonce-X').split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-X'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('carries the nonce of its policy, another one each time', async () => {
    const { get } = await openPage();
    const open = async () => {
      const response = await get('/');
      const [, named] = /'nonce-([\w-]+)'/.exec(response.headers.get('content-security-policy') ?? '') ?? [];
      const [, carried] = /style-nonce" content="([\w-]+)"/.exec(await response.text()) ?? [];
      expect(carried).toBe(named);
      return named;
    };
    expect(await open()).not.toBe(await open());
  });

  it.each(['/', '/sessions/ses_1', '/inbox', '/tools', '/audit', '/usage', '/settings', '/settings/tokens'])(
    'opens at %s',
    async (path) => {
      const { get } = await openPage();
      expect(await (await get(path)).text()).toContain('/assets/main-1.js');
    },
  );

  it.each([
    '/nowhere',
    '/inboxes',
    '/assets/main-2.js',
    '/assets/',
    '/index.html',
    '/sessions/%00',
    '/api/x',
  ])('has nothing at %s', async (path) => {
    const { get } = await openPage();
    expect((await get(path)).status).toBe(404);
  });

  it('gives its files with names that change for a year, others only after a look', async () => {
    const { get } = await openPage();
    const asset = await get('/assets/main-1.js');
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const icon = await get('/icon.svg');
    expect(icon.headers.get('cache-control')).toBe('no-cache');
    const again = await get('/icon.svg', { 'if-none-match': icon.headers.get('etag') ?? '' });
    expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: '' });
  });

  it('says how to build it when it is not built, and is there as soon as it is', async () => {
    const { root, get } = await openPage({});
    const answer = await get('/');
    expect({ status: answer.status, text: await answer.text() }).toEqual({
      status: 503,
      text: expect.stringContaining('npm run build:web'),
    });
    await writeFile(join(root, 'index.html'), index);
    expect((await get('/inbox')).status).toBe(200);
    await rm(join(root, 'index.html'));
    expect((await get('/')).status).toBe(200);
  });

  it('names no path of an API its own', () => {
    for (const path of ['/api/sessions', '/mcp', '/login', '/openapi.json', '/tools/a b'])
      expect(isPage(path)).toBe(false);
  });
});

describe('the page in the whole server', () => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

  it('opens without a login and from a link elsewhere, while the API does neither', async () => {
    const yard = await openTestYard();
    const ask = (path: string, headers = {}, method = 'GET') =>
      yard.fetch(new Request(`http://127.0.0.1${path}`, { headers, method }));
    expect((await ask('/', { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
    expect((await ask('/sessions/ses_1', foreign)).status).toBe(200);
    expect((await ask('/api/sessions')).status).toBe(401);
    const withToken = { authorization: `Bearer ${yard.token}` };
    expect((await ask('/api/sessions', withToken)).status).toBe(200);
    expect((await ask('/api/sessions', { ...withToken, ...foreign })).status).toBe(403);
    expect((await ask('/', foreign, 'POST')).status).toBe(403);
    expect((await ask('/', {}, 'POST')).status).toBe(401);
  });

  it('tells a person who goes where nothing is on the page itself, and a program as ever', async () => {
    const yard = await openTestYard();
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
      const response = await yard.fetch(new Request(`http://127.0.0.1${path}`, { headers, method }));
      return `${response.status} ${response.headers.get('content-type')?.split(';')[0]}`;
    };
    expect(await ask('/nope', html)).toBe('404 text/html');
    expect(await ask('/inboxes/1', { ...html, ...foreign })).toBe('404 text/html');
    expect(await ask('/sessions/%00', html)).toBe('404 text/html');
    expect(await ask('/inbox', html)).toBe('200 text/html');
    expect(await ask('/nope', { accept: 'application/json' })).toBe('401 application/json');
    expect(await ask('/nope', html, 'POST')).toBe('401 application/json');
    for (const path of ['/api', '/api/nope', '/api/sessions', '/mcp', '/openapi.json', '/favicon.ico'])
      expect(`${path}: ${await ask(path, html)}`).toBe(`${path}: 401 application/json`);
    expect(await ask('/assets/nope', html)).toBe('404 application/json');
    const withToken = { ...html, authorization: `Bearer ${yard.token}` };
    expect(await ask('/api/nope', withToken)).toBe('404 application/json');
  });

  it('answers HEAD as GET without a body, and says for every file that its type is its type', async () => {
    const yard = await openTestYard();
    const head = await yard.fetch(new Request('http://127.0.0.1/inbox', { method: 'HEAD' }));
    expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
    expect(head.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const path of ['/', '/theme.js', '/icon.svg']) {
      const response = await yard.fetch(new Request(`http://127.0.0.1${path}`));
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it.each([
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/....//package.json',
    '/assets//etc/passwd',
    '/assets/..\\..\\package.json',
    '/sessions/../../package.json',
    '/theme.js/../../package.json',
    '/assets/main.js%00.html',
  ])('gives nothing that is not a file of the page: %s', async (path) => {
    const yard = await openTestYard();
    const { port } = await yard.listen({ host: '127.0.0.1', port: 0 });
    const answer = await send(port, { request: `GET ${path} HTTP/1.1`, headers: ['Host: 127.0.0.1'] });
    expect(answer.body).not.toMatch(/"dependencies"|root:/);
    expect([400, 401, 404]).toContain(answer.status);
  });
});

describe('what is built', () => {
  it('needs less than 300 kB, packed, for its first screen', async () => {
    const page = await readFile(join(built, 'index.html'), 'utf8');
    const paths = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    const sizes = await Promise.all(
      paths.map(async (path) => [path, gzipSync(await readFile(join(built, path))).length] as const),
    );
    expect(paths.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(300 * 1_000);
  });

  it('holds nothing inline and names no other host', async () => {
    const page = await readFile(join(built, 'index.html'), 'utf8');
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|style="|https?:/);
    const assets = await readdir(join(built, 'assets'));
    expect(assets.filter((name) => !/-[\w-]{8}\.(?:js|css)$/.test(name))).toEqual([]);
  });
});
