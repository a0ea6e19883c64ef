// The operator's log against whoever writes into it: no forged lines, nothing that drives a terminal, no secrets.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, defineToolkit } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LogEntry } from '../../src/app/logs.ts';
import { openYard } from '../../src/app.ts';
import { toLogText } from '../../src/cli/terminal/log-line.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { workBeside } from '../support/work.ts';
import { converse, memoryDirectory } from '../support/yard.ts';

/** What a tool, a model or a client may put into a text. */
const hostile = [
  'plain\n{"time":"2026-01-01T00:00:00.000Z","level":"error","message":"forged"}\n',
  '\r\n2026-01-01 error forged',
  '\u001b[2J\u001b[1;1H\u001b]0;title\u0007\u001b]52;c;Zm9v\u0007',
  '\u009b31m\u0085next\u2028line\u2029para',
  '\u202egnihtemos\u202c \u2066x\u2069 \u200b\u{e0041}',
  '\b\b\b\u007f\u0000',
].join(' | ');

/** All but the line break at the end of a line. */
const driving = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const canary = 'canary-7b1f-value';
const env = { HOSTILE_TOKEN: canary, TOOLYARD_LOG: 'debug', TOOLYARD_TOKEN: 'the-owner-own-long-token' };

const breaking = defineToolkit({
  server: 'hostile',
  name: 'hostile',
  tools: [
    defineTool({
      name: 'break',
      title: 'Break',
      description: 'Breaks.',
      effect: 'read',
      tier: 'auto',
      input: z.object({}),
      output: z.object({}),
      async run() {
        const cause = new Error(`asked http://me:${canary}@host/?key=abcdefgh with Bearer ${canary}`, {
          cause: Object.assign(new Error(hostile), { headers: { authorization: `Bearer ${canary}` } }),
        });
        throw Object.assign(new Error(hostile, { cause }), { [hostile]: canary });
      },
    }),
  ],
});

async function play(): Promise<{ text: string; entries: LogEntry[]; home: string }> {
  const home = join(await memoryDirectory(), 'home');
  const entries: LogEntry[] = [];
  const engine = createScriptedEngine({
    reply: ({ step }) =>
      step === 0 ? [{ calls: [{ tool: 'mcp__hostile__break', input: {} }] }] : [{ text: 'Done.' }],
  });
  const yard = await openYard({
    home,
    env,
    workspace: workBeside(home),
    engine,
    toolkits: [breaking],
    onLog: (entry) => entries.push(entry),
  });
  const session = await yard.client().sessions.create();
  await converse(yard, session.id, 'break it');
  const ask = (path: string, headers: Record<string, string> = {}) =>
    yard.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
  await ask('/login?code=one-time-code-of-a-person');
  await ask(`/api/sessions/${encodeURIComponent(hostile)}`, {
    authorization: `Bearer ${env.TOOLYARD_TOKEN}`,
  });
  await ask('/api/health', { authorization: `Bearer ${canary}`, cookie: `toolyard=${canary}` });
  await yard.close();
  return { text: await readFile(join(home, 'logs', 'toolyard.log'), 'utf8'), entries, home };
}

describe('hostile text in the log', () => {
  it('A1: is one line of JSON for each entry, in which nothing drives a terminal or hides', async () => {
    const { text } = await play();
    expect(driving.exec(text)).toBeNull();
    const lines = text.trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line));
    expect(entries.filter(({ message }) => message === 'forged')).toEqual([]);
    const broken = entries.find(({ message }) => message === 'tool mcp__hostile__break failed');
    expect(broken).toMatchObject({
      level: 'error',
      cause: { message: expect.stringContaining('\u001b[2J') },
    });
  });

  it('A1: is one harmless line on a terminal', async () => {
    const { entries } = await play();
    const written: string[] = [];
    const stream = { write: (text: string) => written.push(text), isTTY: true, columns: 80 };
    const { err } = createTerminal({ stdout: stream, stderr: stream }, { NO_COLOR: '1' });
    for (const entry of entries) err.line(toLogText(entry, err));
    expect(written.length).toBe(entries.length);
    for (const line of written) {
      expect(line.endsWith('\n')).toBe(true);
      expect(driving.exec(line.slice(0, -1))).toBeNull();
      expect(line.slice(0, -1)).not.toContain('\n');
    }
    expect(written.join('')).toMatch(/^\d\d:\d\d:\d\d error tool mcp__hostile__break failed cause=/m);
  });

  it('S4: holds no secret, whether of the environment, a header, an address, a cookie or a login', async () => {
    const { text, entries } = await play();
    const secrets = [canary, 'abcdefgh', 'one-time-code-of-a-person', env.TOOLYARD_TOKEN];
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      expect(JSON.stringify(entries)).not.toContain(secret);
    }
    expect(text).toContain('[redacted]');
  });

  it('has each request with its status and time, and without its body, query and headers', async () => {
    const { text, home } = await play();
    const requests = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ message }) => message === 'request');
    expect(requests.find(({ path }) => path === '/login')).toEqual({
      time: expect.any(String),
      level: 'debug',
      message: 'request',
      method: 'GET',
      path: '/login',
      status: 401,
      durationMs: expect.any(Number),
    });
    expect(requests.find(({ path }) => /^\/api\/sessions\/ses_\w+\/messages$/.test(path))).toMatchObject({
      method: 'POST',
      status: 202,
      by: 'owner',
      sessionId: expect.stringMatching(/^ses_/),
    });
    expect(text).not.toContain('break it');
    expect(await readdir(join(home, 'logs'))).toEqual(['toolyard.log']);
    expect((await stat(join(home, 'logs', 'toolyard.log'))).mode & 0o777).toBe(0o600);
  });
});
