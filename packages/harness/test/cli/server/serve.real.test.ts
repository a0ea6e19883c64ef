// `serve` as a process: what it says, what it obeys, and how it ends; and the scripted model served alone.
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient, pause } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { homeTest as it, setTwoAtOnce } from '../home-test.ts';
import type { Running, TestHome } from '../toolyard-process.ts';

setTwoAtOnce();

let stranger: Server;
let takenPort: string;
beforeAll(async () => {
  stranger = createServer((_, response) => response.end('not Toolyard')).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  takenPort = String((stranger.address() as AddressInfo).port); // a TCP server that listens has one
});
afterAll(() => void stranger.close());

async function expectGoodEnd(yard: TestHome, running: Running, signal: NodeJS.Signals): Promise<void> {
  running.child.kill(signal);
  expect(await running.finished).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Everything is saved'),
  });
  expect(await yard.server()).toBeUndefined();
}

describe('serve', () => {
  it.concurrent('says where it is, where its things are, that it rehearses and why, and what to try; ends in good order on SIGTERM', async ({
    yard,
  }) => {
    const running = yard.start([]);
    const [, url = ''] = await running.until(/listens at (\S+)/);
    await running.until(/second terminal/);
    const banner = running.stdout();
    expect(await createClient({ baseUrl: url }).health()).toMatchObject({ ok: true, rehearsing: true });
    expect(banner).toContain(`home   ~/home\n`);
    expect(banner).toContain(`token  ~/home/token\n`);
    expect(banner).toMatch(
      /no key or login was found.*set ANTHROPIC_API_KEY, or log in with `claude`, then start again/s,
    );
    expect(banner).toContain('npm start -- run "ping the server"');
    expect(running.stderr()).toBe('');
    await expectGoodEnd(yard, running, 'SIGTERM');
  });

  it.concurrent('rehearses with a key only when asked, and says so', async ({ yard }) => {
    const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };
    const real = yard.start(['serve'], { env });
    await real.until(/model {2}anthropic\//);
    real.child.kill('SIGTERM');
    await real.finished;
    await yard.start(['serve', '--rehearse'], { env }).until(/rehearsal, because of --rehearse/);
  });

  it.concurrent('obeys the flag before the environment before the configuration', async ({ yard }) => {
    await mkdir(yard.home);
    await writeFile(join(yard.home, 'config.yaml'), `server: { port: ${takenPort} }\n`);
    const fromConfig = await yard.run(['serve'], { env: { TOOLYARD_PORT: undefined } });
    const fromEnvironment = await yard.run(['serve'], { env: { TOOLYARD_PORT: takenPort } });
    for (const { code, stderr } of [fromConfig, fromEnvironment]) {
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`^error: Port ${takenPort} is in use by .*--port`));
    }
    await yard.start(['serve', '--port', '0'], { env: { TOOLYARD_PORT: takenPort } }).until(/listens at/);
  });

  it.concurrent('names the server that has the home already, which ends in good order on SIGINT', async ({
    yard,
  }) => {
    const running = yard.start(['serve']);
    await running.until(/listens at/);
    const { code, stderr } = await yard.run(['serve']);
    expect(code).toBe(1);
    expect(stderr).toContain(`It answers at ${(await yard.server())?.url}.`);
    await expectGoodEnd(yard, running, 'SIGINT');
  });

  it.concurrent('refuses a host or a workspace that is not there, and other machines without a token of one’s own', async ({
    yard,
  }) => {
    const [host, workspace] = await Promise.all([
      yard.run(['serve', '--host', '192.0.2.1'], { env: { TOOLYARD_TOKEN: 'a-token-of-my-own-making' } }),
      yard.run(['serve', '--workspace', 'no-such']),
    ]);
    expect(await yard.run(['serve', '--host', '0.0.0.0'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set TOOLYARD_TOKEN'),
    });
    expect(host).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: Cannot listen on 192\.0\.2\.1/),
    });
    expect(workspace).toMatchObject({
      code: 2,
      stderr: `error: --workspace names "${join(yard.work, 'no-such')}", which is not a directory. Name one that exists.\n`,
    });
  });

  it.concurrent('ends with a sentence when another process takes its home over', async ({ yard }) => {
    const running = yard.start(['serve']);
    await running.until(/listens at/);
    const database = new DatabaseSync(join(yard.home, 'toolyard.db'));
    database.exec('PRAGMA busy_timeout = 5000; UPDATE owner SET epoch = epoch + 1');
    database.close();
    await expect((await yard.client()).sessions.create({})).rejects.toBeDefined();
    const { code, stderr } = await running.finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(/error: Another Toolyard took over this home/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('serve --idle-exit', () => {
  it.concurrent('ends by itself when there is nothing to do, and not while somebody reads', async ({
    yard,
  }) => {
    const running = yard.start(['serve', '--idle-exit', '1']);
    await running.until(/listens at/);
    const client = await yard.client();
    const { id } = await client.sessions.create({});
    const reading = new AbortController();
    const reader = (async () => {
      for await (const _ of client.sessions.events(id, { signal: reading.signal }));
    })();
    await pause(1_600);
    expect(running.child.exitCode).toBeNull();
    reading.abort();
    await reader;
    const { code, stderr } = await running.finished;
    expect({ code, server: await yard.server() }).toEqual({ code: 0, server: undefined });
    expect(stderr).toContain('Idle for 1 s. Stopping.');
  });
});

describe('rehearse', () => {
  it.concurrent('serves the scripted model, prints where for a shell, and ends on a signal', async ({
    yard,
  }) => {
    const running = yard.start(['rehearse']);
    const [line, url = ''] = await running.until(/^ANTHROPIC_BASE_URL=(\S+)\n/);
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'any', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'any', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant' });
    running.child.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ code: 0, stdout: line });
  });
});
