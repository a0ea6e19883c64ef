// The page behind a TLS proxy, by another name than the server's own: the one of the guide, in a real browser.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTlsProxy } from '../../../../examples/tls-proxy/proxy.ts';
import { createCertificate } from '../../../harness/test/support/self-signed.ts';
import { shareChromium } from '../support/chromium.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { readsSoon, say } from '../support/talk.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
// Browsers find this name on this machine.
const name = 'yard.localhost';
const proxy = createTlsProxy({ ...createCertificate(name), target: () => server.url });
let server: TestServer;
let publicUrl: string;

beforeAll(async () => {
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  // A TCP server that listens has one.
  publicUrl = `https://${name}:${(proxy.address() as AddressInfo).port}`;
  const fill = (home: string) =>
    writeFile(join(home, 'config.yaml'), JSON.stringify({ server: { publicUrl } }));
  server = await startServer({ fill });
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await server.end();
});

test('a link leads to the public address, and the page works there, over one socket', async () => {
  const link = await server.loginLink();
  expect(link.startsWith(`${publicUrl}/#login=`)).toBe(true);
  const context = await (await shareChromium()).newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
    const opened = page.waitForEvent('websocket');
    const loaded = await page.goto(link);
    expect(loaded?.headers()['strict-transport-security']).toMatch(/^max-age=\d+$/);
    await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
    expect(page.url()).toBe(`${publicUrl}/`);
    expect((await opened).url()).toBe(`${publicUrl.replace('https', 'wss')}/api/ws`);
    const { id } = await server.client.sessions.create({ engine: 'native' });
    await page.goto(`${publicUrl}/sessions/${id}`);
    await say(page, 'hello from afar');
    await readsSoon(page, /You said: hello from afar/);
    const { items } = await server.client.tokens.list();
    expect(items).toMatchObject([{ browser: true, origin: publicUrl, address: '127.0.0.1' }]);
  } finally {
    await context.close();
  }
});

test('no other name leads in, and loopback names still do, without the rule to use TLS', async () => {
  const { host } = new URL(publicUrl);
  const ask = async (headers: Record<string, string>) => {
    const { Host, ...rest } = headers;
    const { request } = await import('node:http');
    const sent = request(`${server.url}/api/health`, { headers: { host: Host, ...rest } }).end();
    const [answer] = await once(sent, 'response');
    answer.resume();
    return `${answer.statusCode} ${'strict-transport-security' in answer.headers}`;
  };
  expect(await ask({ Host: host, origin: publicUrl })).toBe('200 true');
  expect(await ask({ Host: host, origin: publicUrl.replace('https', 'http') })).toBe('403 false');
  expect(await ask({ Host: name })).toBe('403 false');
  expect(await ask({ Host: `evil.${host}` })).toBe('403 false');
  expect(await ask({ Host: '127.0.0.1', 'x-forwarded-host': host, origin: publicUrl })).toBe('403 false');
  expect(await ask({ Host: '127.0.0.1' })).toBe('200 false');
});
