// A CLI that is missing, old, mute, or says what it should not: one sentence of what to do, and nothing is run unasked.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { createDesk } from './desk-toolkit.ts';
import { until } from './person.ts';
import { callsOf, endOf, textOf, toOutline } from './turn-outline.ts';

const scenario = './claude-tools.yaml';
const toConfig = (executable: string) =>
  `claude: { spare: false, executable: ${JSON.stringify(executable)} }\n`;

async function open(options: Partial<Parameters<typeof openClaudeServer>[0]>): Promise<ClaudeServer> {
  const server = await openClaudeServer({ scenario, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A server whose `claude.executable` is a script of these lines. */
async function openWithScript(lines: string): Promise<ClaudeServer> {
  return open({
    furnish: async ({ home, userHome }) => {
      // Toolyard's own home is hidden from what it starts.
      const path = join(userHome, 'claude');
      await writeFile(path, `#!/bin/sh\n${lines}\n`);
      await chmod(path, 0o755);
      await writeFile(join(home, 'config.yaml'), toConfig(path));
    },
  });
}

async function failureOf(server: ClaudeServer) {
  const { id } = await server.create();
  return endOf(await server.say(id, 'hello')).error;
}

describe('an executable', () => {
  const install = '`npm install @anthropic-ai/claude-agent-sdk`';
  const check = `Retry the turn. If it happens again, make sure that claude.executable is Claude Code 2.1 or newer, or remove that setting and run ${install}.`;

  test('that is not there is named, with how to get one', async () => {
    const server = await open({ config: toConfig('/nowhere/claude') });
    expect(await failureOf(server)).toEqual({
      code: 'process_failed',
      message: `Claude could not be started (there is no /nowhere/claude). Install it with ${install}, or set claude.executable to its path.`,
    });
  });

  test('that is some other program says so, and says so again', async () => {
    const server = await open({ config: toConfig('/bin/true') });
    const failure = {
      code: 'process_failed',
      message: `Claude’s process ended before it answered anything. ${check}`,
    };
    expect(await failureOf(server)).toEqual(failure);
    expect(await failureOf(server)).toEqual(failure);
  });

  test('that is too old to know its options is quoted', async () => {
    const server = await openWithScript('echo "error: unknown option \'--input-format\'" >&2; exit 1');
    expect(await failureOf(server)).toEqual({
      code: 'process_failed',
      message: `Claude’s process ended before it answered anything (Claude Code process exited with code 1; its last output: error: unknown option '--input-format'). ${check}`,
    });
  });

  test('that prints nothing but garbage is quoted', async () => {
    const server = await openWithScript('echo hello there; echo "{\\"type\\":"; echo oh no >&2');
    expect(await failureOf(server)).toEqual({
      code: 'process_failed',
      message: `Claude’s process ended before it answered anything (its last output: oh no). ${check}`,
    });
  });

  test('that never says a word can be interrupted', async () => {
    const server = await openWithScript('exec sleep 60');
    const { id } = await server.create();
    const turn = server.say(id, 'hello');
    await until('it never began', async () =>
      (await server.client().sessions.get(id)).status === 'running' ? true : undefined,
    );
    const before = Date.now();
    await server.client().sessions.interrupt(id);
    expect(endOf(await turn)).toEqual({ outcome: 'interrupted' });
    expect(Date.now() - before).toBeLessThan(5_000);
  });
});

describe('neither a login nor a key', () => {
  test('behind a login that is empty: how to get either, and how to do without', async () => {
    const server = await open({
      env: { ANTHROPIC_API_KEY: undefined },
      furnish: async ({ userHome }) => {
        await mkdir(join(userHome, '.claude'));
        await writeFile(join(userHome, '.claude', '.credentials.json'), '{}');
      },
    });
    expect(await server.client().health()).toMatchObject({ rehearsing: false });
    expect(await failureOf(server)).toEqual({
      code: 'provider_auth',
      message: expect.stringMatching(
        /^Claude is not logged in and has no API key .*Run `claude` and log in with \/login, or set ANTHROPIC_API_KEY.*toolyard serve --rehearse\.$/,
      ),
    });
    expect(server.tap.asked).toEqual([]);
  });

  test('at all: the real CLI rehearses, and says nothing to anybody else', async () => {
    const server = await open({ env: { ANTHROPIC_API_KEY: undefined } });
    expect(await server.client().health()).toMatchObject({ rehearsing: true });
    const { id } = await server.create({ mode: 'acceptEdits' });
    const events = await server.say(id, 'ping the server');
    expect(callsOf(events)).toMatchObject([{ tool: 'mcp__toolyard__ping', isError: false }]);
    expect(server.tap.asked).toEqual([]);
  });
});

describe('the real CLI behind a door that does odd things', () => {
  const desk = createDesk();
  let server: ClaudeServer;
  beforeAll(async () => {
    const executable = fileURLToPath(new URL('./odd-claude.mjs', import.meta.url));
    server = await openClaudeServer({ scenario, toolkits: [desk.kit], config: toConfig(executable) });
  });
  afterAll(() => server.close());

  test('may print garbage between its messages: none of it is lost on the way, none of it matters; may break the SDK, or die with last words, which the person reads: the turn fails, the next message resumes', async () => {
    const { id } = await server.create({ mode: 'acceptEdits' });
    await server.say(id, 'remember this');
    const heard = await server.say(id, 'print garbage and look at sky');
    expect(endOf(heard)).toEqual({ outcome: 'completed' });
    expect(callsOf(heard)).toMatchObject([
      { tool: 'mcp__desk__look', isError: false, output: { seen: 'the sky' } },
    ]);
    const raw = heard.flatMap((event) => (event.type === 'raw' ? [event.data.message] : []));
    expect(raw).toContainEqual({ type: 'from_the_future', payload: { a: 1 } });
    expect(textOf(heard)).toBe('Let me see. I (claude-sonnet-5) heard: {"seen":"the sky"}');

    expect(endOf(await server.say(id, 'print null'))).toMatchObject({
      outcome: 'failed',
      error: { code: 'process_failed' },
    });
    expect(textOf(await server.say(id, 'what did I say first'))).toContain('First you said: remember this.');

    const events = await server.say(id, 'die with last words');
    expect(endOf(events)).toEqual({
      outcome: 'failed',
      error: {
        code: 'process_failed',
        message: expect.stringMatching(
          /^Claude’s process ended before the turn did \(.*its last output: FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\)\. Retry the turn to continue where it stopped\.$/,
        ),
      },
    });
    expect(toOutline(events).at(-1)).toBe('turn_end failed');
    expect(textOf(await server.say(id, 'what did I say first'))).toContain('First you said: remember this.');
  });

  test('may ask for a server, a method or a tool that is not there, or for a call nobody decided on: all are refused', async () => {
    const { id } = await server.create({ mode: 'bypassPermissions' });
    const events = await server.say(id, 'probe the wire');
    expect(endOf(events)).toEqual({ outcome: 'completed' });
    const path = join(server.work, 'probe.json');
    const answers = await until('not every request was answered', async () => {
      const read = JSON.parse(await readFile(path, 'utf8').catch(() => '{}'));
      return Object.keys(read).length === 4 ? read : undefined;
    });
    const undecided = {
      content: [{ type: 'text', text: 'The call was not run: it differs from the call of the model.' }],
      isError: true,
    };
    expect(answers).toEqual({
      'probe-0': { refused: expect.stringContaining('nowhere') },
      'probe-1': { jsonrpc: '2.0', id: 901, error: { code: -32601, message: 'Method not found' } },
      'probe-2': { jsonrpc: '2.0', id: 902, result: undecided },
      'probe-3': { jsonrpc: '2.0', id: 903, result: undecided },
    });
  });
});
