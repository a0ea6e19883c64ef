// What cannot be started is refused with a sentence that names the command, and leaves nothing.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { kinds } from './family.ts';
import { findProcesses, newFolders, newNap, openTestSandbox, refusal, textOf } from './support.ts';

describe.each(kinds)('with a %s', (kind) => {
  test('a command that is not there, or no program, is named with the reason', async () => {
    const { start, workspace, home } = await openTestSandbox(kind);
    writeFileSync(join(workspace, 'plain'), 'echo no');
    mkdirSync(join(workspace, 'folder'));
    const env = { PATH: '/usr/bin:relative' };
    const messages = await Promise.all(
      [
        refusal(start('no-such-program', [], { env })),
        refusal(start('./no-such-program')),
        refusal(start('./plain')),
        refusal(start('./folder')),
        refusal(start('')),
      ].map(async (error) => [(await error).message, (await error).data]),
    );
    expect(messages).toEqual([
      [
        'no-such-program could not be started: no such program in PATH (/usr/bin:relative). Install it, or use its absolute path.',
        { command: 'no-such-program' },
      ],
      [
        `./no-such-program could not be started: there is no ${workspace}/no-such-program.`,
        { command: './no-such-program' },
      ],
      [`./plain could not be started: ${workspace}/plain is not executable.`, { command: './plain' }],
      [`./folder could not be started: ${workspace}/folder is not a file.`, { command: './folder' }],
      [' could not be started: the command is empty.', { command: '' }],
    ]);
    expect(readdirSync(join(home, 'processes'))).toEqual([]);
  });

  test('a directory that is missing, relative or in the home is refused', async () => {
    const { start, workspace, home } = await openTestSandbox(kind);
    symlinkSync(home, join(workspace, 'link'));
    const messages = await Promise.all(
      [join(workspace, 'missing'), 'relative', home, join(home, 'processes'), join(workspace, 'link')].map(
        async (cwd) => (await refusal(start('true', [], { cwd }))).message,
      ),
    );
    const missing = 'does not exist, or is not an absolute path.';
    const inHome = 'is inside the home, which processes cannot access.';
    expect(messages).toEqual([
      `true could not be started: its directory ${workspace}/missing ${missing}`,
      `true could not be started: its directory relative ${missing}`,
      `true could not be started: its directory ${home} ${inHome}`,
      `true could not be started: its directory ${home}/processes ${inHome}`,
      `true could not be started: its directory ${workspace}/link ${inHome}`,
    ]);
  });

  test('what no system can pass on is refused', async () => {
    const { start, home } = await openTestSandbox(kind);
    const huge = 'x'.repeat(3_000_000);
    const messages = await Promise.all(
      [
        start('echo', ['a\0b']),
        start('echo', [], { env: { A: 'a\0b' } }),
        start('echo', [], { env: { 'A=B': 'c' } }),
        start('echo', [huge]),
      ].map(async (each) => (await refusal(each)).message),
    );
    expect(messages).toEqual([
      'echo could not be started: a NUL character is not allowed in a command, its arguments or its environment.',
      'echo could not be started: a NUL character is not allowed in a command, its arguments or its environment.',
      'echo could not be started: a name in its environment is empty or contains "=".',
      expect.stringMatching(/^echo could not be started: .*E2BIG/),
    ]);
    expect(readdirSync(join(home, 'processes'))).toEqual([]);
  });

  test('it starts in its directory, with the program that PATH names first', async () => {
    const { start, workspace } = await openTestSandbox(kind);
    mkdirSync(join(workspace, 'bin'));
    writeFileSync(join(workspace, 'bin', 'ls'), '#!/bin/sh\npwd\n', { mode: 0o755 });
    const env = { PATH: `${workspace}/bin:/usr/bin:/bin` };
    const owned = await start('ls', [], { env });
    expect(await textOf(owned.stdout)).toBe(`${workspace}\n`);
    const own = await start('./bin/ls');
    expect(await textOf(own.stdout)).toBe(`${workspace}\n`);
  });

  test('one that ends at once has still been started', async () => {
    const { start } = await openTestSandbox(kind);
    const owned = await start('sh', ['-c', 'echo broken >&2; exit 9']);
    expect([await textOf(owned.stderr), await owned.exited]).toEqual(['broken\n', { code: 9, signal: null }]);
  });
});

test('a bubblewrap that fails says why, names the command, and leaves nothing of itself behind', async () => {
  const { home, workspace } = newFolders();
  const nap = newNap();
  const broken = join(workspace, 'bwrap');
  const start = async (script: string) => {
    writeFileSync(broken, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const sandbox = await openSandbox({
      home,
      env: process.env,
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      probe: async () => ({ kind: 'namespace', bubblewrap: broken }),
    });
    return sandbox.spawn({ command: '/bin/true', args: [], cwd: workspace, env: {}, purpose: 'a test' });
  };
  expect([
    (await refusal(start('echo "bwrap: no permission" >&2; exit 1'))).message,
    (await refusal(start(`sleep ${nap} >/dev/null 2>&1 & exit 3`))).message,
  ]).toEqual([
    '/bin/true could not be started: bwrap: no permission',
    '/bin/true could not be started: bubblewrap exited with code 3.',
  ]);
  expect(findProcesses(nap)).toEqual([]);
  expect(readdirSync(join(home, 'processes'))).toEqual([]);
});
