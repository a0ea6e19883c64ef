// Commands are clients of the one server of their home, and start it when it is not there.
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { createClient } from '@toolyard/sdk';
import { describe, expect } from 'vitest';
import { homeTest as it, setTwoAtOnce } from '../home-test.ts';
import { runIn } from '../in-process.ts';
import { createHome } from '../toolyard-process.ts';

setTwoAtOnce();

const started = /^Started a server in the background at (\S+) \(stops after 5 minutes idle\)\.\n/;

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('a command without a server', () => {
  it.concurrent('starts one, says so, and the next command uses it; its log and all else are the owner’s alone', async ({
    yard,
  }) => {
    const first = await yard.run(['tools', 'list']);
    expect(first.code).toBe(0);
    const server = await yard.server();
    expect(started.exec(first.stderr)?.[1]).toBe(server?.url);
    expect(await runIn(yard, ['sessions', 'list'])).toEqual({
      code: 0,
      stdout: 'No sessions yet. Open one: npm start -- run "ping the server"\n',
      stderr: '',
    });
    expect(await yard.server()).toEqual(server);
    const log = join(yard.home, 'logs', 'server.log');
    const paths = [yard.home, dirname(log), log, join(yard.home, 'server.json'), join(yard.home, 'token')];
    expect(await Promise.all(paths.map(modeOf))).toEqual(['700', '700', '600', '600', '600']);
    const logged = await readFile(log, 'utf8');
    expect(logged).toContain('listens at');
    // A log is no place for the link that logs a browser in.
    expect(logged).not.toContain('code=');
  });

  it.concurrent('shares one server with a command that starts at the same moment', async ({ yard }) => {
    const both = await Promise.all([
      yard.run(['run', '--mode', 'acceptEdits', 'ping the server']),
      yard.run(['run', '--mode', 'acceptEdits', 'ping the server']),
    ]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.map(({ stdout }) => /pong/.test(stdout))).toEqual([true, true]);
    expect(both.filter(({ stderr }) => started.test(stderr))).toHaveLength(1);
    const list = JSON.parse((await yard.run(['sessions', 'list', '--json'])).stdout);
    expect(list.items).toHaveLength(2);
  });

  it.concurrent('lets the server take another port when something else has the usual one', async ({
    yard,
  }) => {
    const stranger = createServer((_, response) => response.end('not Toolyard')).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo; // a TCP server that listens has one
    const { code, stderr } = await runIn(yard, ['tools', 'list'], { TOOLYARD_PORT: String(port) });
    stranger.close();
    expect(code).toBe(0);
    expect(started.exec(stderr)?.[1]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(started.exec(stderr)?.[1]).not.toContain(`:${port}`);
  });

  it.concurrent('is not fooled by the word of a dead server whose port belongs to another home now', async ({
    yard,
  }) => {
    const other = await createHome();
    try {
      await other.start(['serve']).until(/listens at/);
      const { url = '' } = (await other.server()) ?? {};
      await mkdir(yard.home);
      const leftover = { pid: 2 ** 22 - 1, url, startedAt: new Date().toISOString() };
      await writeFile(join(yard.home, 'server.json'), JSON.stringify(leftover));
      const { code, stderr } = await runIn(yard, ['sessions', 'list']);
      expect(code).toBe(0);
      expect(started.exec(stderr)?.[1]).not.toBe(url);
    } finally {
      await other.end();
    }
  });

  it.concurrent('means the same home as its server when the path is a relative one', async ({ yard }) => {
    const options = { cwd: dirname(yard.home), env: { TOOLYARD_HOME: basename(yard.home) } };
    expect(await yard.run(['tools', 'list'], options)).toMatchObject({ code: 0 });
    expect(await yard.server()).toBeDefined();
  });

  it.concurrent('says why no server could start, as the server itself would', async ({ yard }) => {
    await writeFile(yard.home, 'a file where a directory should be');
    const { code, stdout, stderr } = await runIn(yard, ['run', 'hi']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*home.*\n$/);
  });
});

describe('TOOLYARD_TOKEN', () => {
  it.concurrent('is the token that commands use, and a wrong one is refused in a sentence', async ({
    yard,
  }) => {
    const env = { TOOLYARD_TOKEN: 'a-token-of-my-own-making' };
    expect(await runIn(yard, ['sessions', 'list'], env)).toMatchObject({ code: 0 });
    const { url = '' } = (await yard.server()) ?? {};
    const client = createClient({ baseUrl: url, token: env.TOOLYARD_TOKEN });
    expect(await client.sessions.list()).toEqual({ items: [] });
    const wrong = await runIn(yard, ['sessions', 'list'], { TOOLYARD_TOKEN: 'another' });
    expect(wrong).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*token.*\n$/i),
    });
  });
});
