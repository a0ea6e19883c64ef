// The person's login of Claude Code, used by the real CLI: it has expired, so that the CLI refreshes it. What answers in
// place of Anthropic is reached through a proxy, with a certificate made for the test.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer as createProxy, request } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createRecordingHost } from '@toolyard/sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { scenarioPaths } from '../../../../src/rehearsal/scenarios/load-scenario.ts';
import { serveRehearsal } from '../../../../src/rehearsal/serve.ts';
import { createCertificate } from '../../../support/self-signed.ts';
import { makeFolder, writeFiles } from '../../../support/workspace.ts';
import { openClaudeWorld } from '../claude-world.ts';

/** In place of Anthropic: gives a new login for an old one, and lets the scripted model answer. */
async function openAnthropic(modelUrl: string) {
  const { key, cert } = createCertificate('platform.claude.com', 'api.anthropic.com');
  const certificate = join(makeFolder({ 'cert.pem': cert }), 'cert.pem');
  const asked: string[] = [];
  const service = createServer({ key, cert }, async (incoming, outgoing) => {
    const path = incoming.url?.split('?')[0];
    const body = await text(incoming);
    if (path === '/v1/oauth/token') {
      asked.push(`${path} ${JSON.parse(body).refresh_token}`);
      outgoing.setHeader('content-type', 'application/json');
      const tokens = { access_token: 'new-access', refresh_token: 'new-refresh', expires_in: 3_600 };
      outgoing.end(JSON.stringify({ ...tokens, token_type: 'Bearer', scope: 'user:inference user:profile' }));
      return;
    }
    if (path === '/v1/messages') asked.push(`${path} ${incoming.headers.authorization}`);
    const { method = 'GET', headers, url = '/' } = incoming;
    const model = request(new URL(url, modelUrl), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    model.on('error', () => outgoing.destroy()).end(body);
  });
  const port = await listen(service);
  const proxy = createProxy().on('connect', (_, client) => {
    const server = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    server.pipe(client).pipe(server);
    for (const socket of [server, client]) socket.on('error', () => {});
  });
  const env = {
    HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  return { asked, env };
}

async function listen(server: ReturnType<typeof createProxy> | ReturnType<typeof createServer>) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // Listening on a port of this machine, so there is an address and it is no path.
  return (server.address() as AddressInfo).port;
}

/** Every file below a folder that holds this text. */
function findText(folder: string, wanted: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'utf8').includes(wanted));
}

test('an expired login is refreshed once, in the person’s own file, and nowhere is a copy of it', async () => {
  const rehearsal = await serveRehearsal();
  onTestFinished(rehearsal.close);
  const { asked, env } = await openAnthropic(rehearsal.url);
  const user = makeFolder();
  const old = {
    accessToken: 'old-access',
    refreshToken: 'old-refresh',
    expiresAt: 1,
    scopes: ['user:inference', 'user:profile'],
    subscriptionType: 'max',
  };
  writeFiles(user, { '.claude/.credentials.json': JSON.stringify({ claudeAiOauth: old }) });
  const world = await openClaudeWorld(scenarioPaths.conformance, {
    env: { PATH: process.env.PATH, HOME: user, ...env },
    access: async () => ({}),
  });
  onTestFinished(world.close);
  const session = await world.engine.start({
    sessionId: 'ses_1',
    model: 'anthropic/claude-sonnet-5',
    instructions: '',
    cwd: world.cwd,
    maxSteps: 5,
    tools: [],
    nativeTools: [],
  });
  const outcome = await session.prompt({ kind: 'message', content: 'hello' }, createRecordingHost());
  await session.close();
  expect([outcome.outcome, new Set(asked)]).toEqual([
    'completed',
    new Set(['/v1/oauth/token old-refresh', '/v1/messages Bearer new-access']),
  ]);
  expect(asked.filter((line) => line.includes('token'))).toHaveLength(1);
  const file = join(user, '.claude', '.credentials.json');
  expect(JSON.parse(readFileSync(file, 'utf8')).claudeAiOauth).toMatchObject({
    accessToken: 'new-access',
    refreshToken: 'new-refresh',
  });
  const folders = [user, world.home];
  expect(folders.flatMap((folder) => findText(folder, 'new-refresh'))).toEqual([file]);
});
