// A person's words are for the model: the CLI reads no file for them, takes none of them for a command of its own, and
// nobody else can speak to it.
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPromptId } from '../../src/engines/claude/lib/prompt-id.ts';
import { isForeignMessage } from '../../src/engines/claude/process/session-process.ts';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { endOf } from './turn-outline.ts';

let server: ClaudeServer;
beforeAll(async () => {
  server = await openClaudeServer({
    scenario: './claude-tools.yaml',
    furnish: async ({ work }) => writeFile(join(work, '.env'), 'canary-of-a-secret'),
  });
});
afterAll(() => server.close());

const asked = () => JSON.stringify(server.tap.asked);

test('a file that is mentioned is not read for it', async () => {
  const { id } = await server.client().sessions.create({ engine: 'claude' });
  await server.say(id, 'look at @.env and @/etc/passwd');
  expect(asked()).toContain('look at @.env and @/etc/passwd');
  expect(asked()).not.toContain('canary-of-a-secret');
  expect(asked()).not.toContain('root:x:0');
});

test('words that look like a command of the CLI reach the model, and change nothing', async () => {
  const { id } = await server.client().sessions.create({ engine: 'claude' });
  await server.say(id, 'remember the number forty-two');
  for (const words of ['/config theme=dark', '/clear', '/model opus', '/heapdump']) {
    const before = server.tap.asked.length;
    expect(endOf(await server.say(id, words)).outcome).toBe('completed');
    const last = JSON.stringify(server.tap.asked.at(-1));
    expect(server.tap.asked.length).toBe(before + 1);
    expect(last).toContain(words);
    expect(last).toContain('forty-two');
  }
  expect(existsSync(join(server.userHome, '.claude', 'settings.json'))).toBe(false);
  expect((await readdir(server.userHome)).filter((name) => name.endsWith('.heapsnapshot'))).toEqual([]);
});

test('other sessions of the CLI find no word of it, nor the socket on which they would speak to it', async () => {
  const { id } = await server.client().sessions.create({ engine: 'claude' });
  await server.say(id, 'hello');
  for (const folder of [join(server.userHome, '.claude'), join(server.home, 'claude')]) {
    const names = await readdir(folder, { recursive: true });
    expect(names.filter((name) => /^sessions\b|\.sock$/.test(name))).toEqual([]);
  }
  expect(existsSync(join(server.home, 'run'))).toBe(false);
});

test('work on a message that we did not send is known as such', () => {
  const session = 'ses_0000000000000000000001';
  const started = (uuid: string) => ({ type: 'command_lifecycle', state: 'started', command_uuid: uuid });
  const cases: [unknown, boolean][] = [
    [started(newPromptId(session)), false],
    [started(newPromptId('ses_0000000000000000000002')), true],
    [started('c8c6f6c2-2d6e-402e-b1b3-2ecad9c60dc6'), true],
    [{ ...started('x'), state: 'queued' }, false],
    [{ type: 'result', origin: { kind: 'peer', from: 'unknown' } }, true],
    [{ type: 'result' }, false],
    [null, false],
    ['text', false],
  ];
  for (const [message, expected] of cases)
    expect([message, isForeignMessage(session, message)]).toEqual([message, expected]);
});
