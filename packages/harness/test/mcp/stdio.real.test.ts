// `toolyard mcp`: the real command, the real official client, one server per home behind it.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { pause } from '@toolyard/sdk';
import { describe, expect } from 'vitest';
import { homeTest, setTwoAtOnce } from '../cli/home-test.ts';
import { endProcess, isAlive } from '../cli/toolyard-process.ts';
import { type Era, eras, forReaders, until } from './clients.ts';

setTwoAtOnce();

const main = fileURLToPath(new URL('../../bin/toolyard.mjs', import.meta.url));
const ping = { name: 'ping', arguments: {} };
const pong = { structuredContent: { status: 'pong', server: 'toolyard', timestamp: expect.any(String) } };

/** A home, and clients that are gone before it is. */
const it = homeTest.extend<{ connect: Connect }>({
  connect: async ({ yard }, use) => {
    const clients: Client[] = [];
    await mkdir(yard.home, { mode: 0o700 });
    await use(async (era, args = [], onElicitation) => {
      const client = createClient(era, onElicitation);
      clients.push(client);
      const command = ['--conditions=toolyard-source', main, 'mcp', ...args];
      const { env, work: cwd } = yard;
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: command, env, cwd, stderr: 'ignore' }),
      );
      return client;
    });
    await Promise.all(clients.map((client) => client.close()));
  },
});

type Connect = (era: Era, args?: string[], onElicitation?: () => ElicitResult) => Promise<Client>;

const askNobody = 'toolApproval: { defaultTier: auto, perTool: { mcp__toolyard__ping: auto } }';

function createClient(era: Era, onElicitation?: () => ElicitResult): Client {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const capabilities = onElicitation ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'stdio', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (onElicitation) client.setRequestHandler('elicitation/create', onElicitation);
  return client;
}

describe.each(eras)('a client of the %s protocol on stdio', (era) => {
  it.concurrent('lists and calls the tools, in the directory it was started in, through a server that is started for it; is asked for consent, and what it takes back is cancelled', async ({
    yard,
    connect,
  }) => {
    let asked = 0;
    const client = await connect(era, [], () => {
      asked++;
      return { action: 'accept', content: { decision: 'allow once' } };
    });
    expect(client.getServerVersion()).toEqual({ name: 'toolyard', version: 'development' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('ping');
    expect(await client.callTool(ping)).toMatchObject(pong);
    const { items } = await (await yard.client()).sessions.list();
    expect(items.map(({ cwd, engine }) => ({ cwd, engine }))).toEqual([{ cwd: yard.work, engine: 'direct' }]);
    expect(asked).toBe(1);

    const silent = await connect(era);
    const giveUp = new AbortController();
    const failed = expect(silent.callTool(ping, { signal: giveUp.signal })).rejects.toThrow();
    const approvals = async (state: string) =>
      (await (await yard.client()).approvals.list({ state })).items.length;
    await until(async () => (await approvals('pending')) === 1);
    giveUp.abort();
    await failed;
    await until(async () => (await approvals('cancelled')) === 1);
  });
});

describe('the command itself', () => {
  it.concurrent('offers the tools of the role it is told, and says when there is none of that name', async ({
    connect,
  }) => {
    const client = await connect('legacy', ['--role', 'reviewer']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(forReaders);
    const lost = await connect('legacy', ['--role', 'nobody']);
    await expect(lost.listTools()).rejects.toThrow('There is no role "nobody".');
  });

  it.concurrent('goes on with the session of its client after the server was killed and came back', async ({
    yard,
    connect,
  }) => {
    await writeFile(join(yard.home, 'config.yaml'), askNobody);
    const client = await connect('legacy');
    expect(await client.callTool(ping)).toMatchObject(pong);
    const { pid = 0 } = (await yard.server()) ?? {};
    endProcess(pid);
    while (isAlive(pid)) await pause(10);
    expect(await client.callTool(ping)).toMatchObject(pong);
    expect((await yard.server())?.pid).not.toBe(pid);
  });

  it.concurrent('M1: answers what it is sent, line by line, and nothing else goes to stdout', async ({
    yard,
  }) => {
    await mkdir(yard.home, { mode: 0o700 });
    await writeFile(join(yard.home, 'config.yaml'), askNobody);
    const hello = {
      jsonrpc: '2.0',
      id: 'a',
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const odd = { ...list, id: 1.5 };
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: ping };
    const lines = [
      `\ufeff${JSON.stringify(hello)}\r`,
      'half {',
      '',
      'x'.repeat(5_000_000),
      '7',
      odd,
      list,
      call,
      [{ ...list, id: 3 }, '7', { ...call, id: 4 }],
    ];
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const { code, stdout } = await yard.run(['mcp'], { input: text });
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const idsOf = (all: { id: unknown }[]) => all.map(({ id }) => id);
    expect(code).toBe(0);
    expect(idsOf(answers.filter(({ error }) => error?.code === -32700))).toEqual([null, null]);
    const invalid = idsOf(answers.filter(({ error }) => error?.code === -32600));
    expect(invalid.sort()).toEqual([1.5, null, null]);
    const [first, ...served] = idsOf(answers.filter(({ error }) => !error));
    expect([first, served.sort()]).toEqual(['a', [1, 2, 3, 4]]);
    expect(answers.find(({ id }) => id === 'a')?.result.protocolVersion).toBe('2025-06-18');
  });
});
