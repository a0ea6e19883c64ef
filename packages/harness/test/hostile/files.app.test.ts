// Hostile paths in calls of an engine's own file tools, through a whole yard: what the judge says in every mode. The tools
// are those of the Claude engine; a scripted engine makes the calls and shows whether they would have run.
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Event, PermissionMode } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, test } from 'vitest';
import type { Yard } from '../../src/app.ts';
import { nativeTools } from '../../src/engines/claude/tools/native-tools.ts';
import { makeFolder } from '../support/workspace.ts';
import { openTestYard } from '../support/yard.ts';

type Call = [tool: string, input: unknown];
type Answer = 'runs' | 'asks' | 'denied';

const modes = PermissionMode.options;

/** A yard whose model calls what the message says, and a workspace with a stranger beside it. */
async function openMachine() {
  const base = makeFolder({
    'ws/a.ts': 'x',
    'ws/.env': 'KEY=1',
    'ws-evil/x': 'x',
    'user/.bashrc': '',
    'yard/roles/x': '',
  });
  const at = (path: string) => join(base, path);
  const engine = createScriptedEngine({
    nativeTools: [...nativeTools],
    reply: ({ text, outcomes }) => {
      const [tool = '', input] = JSON.parse(text);
      return outcomes.length > 0 ? [{ text: 'done' }] : [{ native: { tool: `claude:${tool}`, input } }];
    },
  });
  const yard = await openTestYard({
    home: at('yard'),
    workspace: at('ws'),
    env: { HOME: at('user') },
    engine,
  });
  const answerOf = (call: Call, mode: PermissionMode) => answerTo(yard, at('ws'), call, mode);
  return { at, yard, answerOf };
}

/** What happens to one call in a session of its own. */
async function answerTo(yard: Yard, cwd: string, call: Call, mode: PermissionMode): Promise<Answer> {
  const { sessions } = yard.client();
  const { id } = await sessions.create({ cwd, mode });
  await sessions.send(id, JSON.stringify(call));
  for await (const event of sessions.events(id, { signal: AbortSignal.timeout(10_000) })) {
    const answer = toAnswer(event);
    if (!answer) continue;
    await sessions.interrupt(id);
    return answer;
  }
  throw new Error('The log ended before the call did.');
}

function toAnswer(event: Event): Answer | undefined {
  if (event.type === 'approval_required') return 'asks';
  if (event.type === 'tool_result') return event.data.isError ? 'denied' : 'runs';
  return undefined;
}

type Machine = Awaited<ReturnType<typeof openMachine>>;

/** Every call in every mode, beside what was expected of it: one answer for all modes, or one for each. */
async function expectAnswers(machine: Machine, rows: readonly [...Call, Answer | readonly Answer[]][]) {
  const seen = await Promise.all(
    rows.map(async ([tool, input]) => {
      const answers = await Promise.all(modes.map((mode) => machine.answerOf([tool, input], mode)));
      return [tool, input, answers];
    }),
  );
  expect(seen).toEqual(
    rows.map(([tool, input, answer]) => [tool, input, modes.map((_, index) => pick(answer, index))]),
  );
}

function pick(answer: Answer | readonly Answer[], index: number): Answer | undefined {
  return typeof answer === 'string' ? answer : answer[index];
}

/** In the order of the modes: default, acceptEdits, plan, bypassPermissions. */
const reads = { inside: 'runs', sensitive: ['asks', 'asks', 'asks', 'runs'] } as const;
const writes = {
  inside: ['asks', 'runs', 'denied', 'runs'],
  outside: ['asks', 'asks', 'denied', 'runs'],
} as const;

test('the modes stand in the order that this file says', () => {
  expect(modes).toEqual(['default', 'acceptEdits', 'plan', 'bypassPermissions']);
});

test('F1 F2: what only looks like the workspace is outside of it', async () => {
  const machine = await openMachine();
  const { at } = machine;
  await expectAnswers(machine, [
    ['Read', { file_path: 'a.ts' }, reads.inside],
    ['Read', { file_path: at('ws-evil/x') }, reads.sensitive],
    ['Read', { file_path: 'src//..//..//ws-evil/x' }, reads.sensitive],
    ['Read', { file_path: '%2e%2e%2fws-evil%2fx' }, reads.sensitive],
    ['Read', { file_path: '~/x' }, reads.sensitive],
    ['Glob', { pattern: '../**' }, reads.sensitive],
    ['Grep', { pattern: 'x', path: '/' }, reads.sensitive],
    ['Write', { file_path: 'b.ts', content: '' }, writes.inside],
    ['Write', { file_path: at('ws-evil/x'), content: '' }, writes.outside],
    ['Edit', { file_path: '../ws-evil/x' }, writes.outside],
  ]);
});

test('F3: a link counts as what it leads to', async () => {
  const machine = await openMachine();
  const { at } = machine;
  symlinkSync(at('ws-evil/x'), at('ws/link'));
  symlinkSync(at('ws-evil'), at('ws/folder'));
  symlinkSync(at('ws-evil/new'), at('ws/dangling'));
  symlinkSync(at('yard'), at('ws/house'));
  await expectAnswers(machine, [
    ['Read', { file_path: 'link' }, reads.sensitive],
    ['Write', { file_path: 'link', content: '' }, writes.outside],
    ['Write', { file_path: 'folder/new/leaf', content: '' }, writes.outside],
    ['Write', { file_path: 'dangling', content: '' }, writes.outside],
    ['Read', { file_path: 'house/token' }, 'denied'],
  ]);
});

test('F5: a NUL character is refused, never cut off', async () => {
  await expectAnswers(await openMachine(), [
    ['Read', { file_path: 'a.ts\0.png' }, 'denied'],
    ['Write', { file_path: 'a.ts\0', content: '' }, 'denied'],
    ['Glob', { pattern: '*\0' }, 'denied'],
    ['Read\0', { file_path: 'a.ts' }, 'denied'],
    ['Read', { file_path: ['a.ts'] }, 'denied'],
  ]);
});

test('F6 F7: what configures permissions or runs by itself cannot be written in any spelling, though it is not there', async () => {
  const paths = [
    ...[
      '.mcp.json',
      '.MCP.json',
      '.claude/settings.json',
      '.git/hooks/pre-commit',
      '.Git/hooks/x',
      '.git./config',
    ],
    ...[
      'toolyard.yaml',
      'toolyard.yaml ',
      '.toolyard/roles/root.md',
      '.g\u200cit/config',
      '~/.bashrc',
      '~/.ssh/config',
    ],
    ...['~/.claude/settings.json', 'packages/a/.claude/agents/x.md'],
  ];
  await expectAnswers(
    await openMachine(),
    paths.map((path) => ['Write', { file_path: path, content: '' }, 'denied'] as const),
  );
});

test('F8: devices, pipes and process files are refused without a hang', async () => {
  const machine = await openMachine();
  execFileSync('mkfifo', [machine.at('ws/pipe')]);
  const paths = ['/dev/zero', '/proc/self/environ', '/proc/1/environ', '/proc/self/mem', 'pipe'];
  await expectAnswers(
    machine,
    paths.map((path) => ['Read', { file_path: path }, 'denied'] as const),
  );
});

describe('F10: one file through every door', () => {
  test('of Toolyard’s home nothing is read, searched or written in any mode', async () => {
    const machine = await openMachine();
    const { at } = machine;
    await expectAnswers(machine, [
      ['Read', { file_path: at('yard/token') }, 'denied'],
      ['Read', { file_path: at('YARD/token') }, 'denied'],
      ['Glob', { pattern: '*', path: at('yard') }, 'denied'],
      ['Glob', { pattern: at('yard/**') }, 'denied'],
      ['Grep', { pattern: '.', path: '../yard' }, 'denied'],
      ['Grep', { pattern: '.', path: '..', glob: 'yard/**' }, 'denied'],
      ['Edit', { file_path: at('yard/config.yaml') }, 'denied'],
      ['Write', { file_path: at('yard/roles/new.md'), content: '' }, 'denied'],
      ['NotebookEdit', { notebook_path: at('yard/x.ipynb') }, 'denied'],
      ['LSP', { operation: 'hover', filePath: at('yard/token') }, 'denied'],
    ]);
  });

  test('a likely secret is asked about, whichever tool would show it', async () => {
    await expectAnswers(await openMachine(), [
      ['Read', { file_path: '.env' }, reads.sensitive],
      ['Grep', { pattern: 'KEY', path: '.env' }, reads.sensitive],
      ['Grep', { pattern: 'KEY', glob: '.env*' }, reads.sensitive],
      ['Glob', { pattern: '**/*.pem' }, reads.sensitive],
      ['Edit', { file_path: '.env' }, writes.outside],
      ['Read', { file_path: '.env.example' }, reads.inside],
    ]);
  });
});
