import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { createGit } from '../../src/sandbox/git.ts';
import { type Kind, kinds } from './family.ts';
import { findSleepers, newFolders, newNap, openTestSandbox, refusal, until } from './support.ts';

const canary = {
  GIT_DIR: '/nowhere',
  GIT_CONFIG_COUNT: '1',
  ANTHROPIC_API_KEY: 'canary-key',
  GIT_SSH_COMMAND: 'canary',
};

async function openGit(kind: Kind = 'group', path = process.env.PATH) {
  const env = { PATH: path, HOME: '/nonexistent', ...canary };
  const opened = await openTestSandbox(kind, newFolders(), env);
  return { ...opened, git: createGit({ env, spawn: opened.sandbox.spawn }) };
}

/** Git runs this with a shell; only a test asks it to. */
const script = (text: string) => ['-c', `alias.script=!${text}`, 'script'];

describe.each([
  ['short', false],
  ['long', true],
])('a %s run', (_, isLong) => {
  test('gives what git said and its code, and a failure is a result', async () => {
    const { git, workspace } = await openGit();
    const version = await git.run(['version'], workspace, { isLong });
    expect(version).toEqual({ code: 0, stdout: expect.stringMatching(/^git version \d/), stderr: '' });
    const failed = await git.run(['rev-parse', 'HEAD'], workspace, { isLong });
    expect(failed).toMatchObject({
      code: 128,
      stdout: '',
      stderr: expect.stringMatching(/^fatal: not a git repository/),
    });
  });

  test('S4: is told nothing of the server’s but its path and home', async () => {
    const { git, workspace } = await openGit();
    const { stdout } = await git.run(script('env'), workspace, { isLong });
    expect(stdout).not.toMatch(/canary|nowhere|GIT_CONFIG_COUNT/);
    const names = stdout.split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(
      expect.arrayContaining(['PATH', 'HOME', 'GIT_TERMINAL_PROMPT', 'GIT_ALLOW_PROTOCOL']),
    );
  });

  test('that says too much has failed, and half of it is not given', async () => {
    const { git, workspace } = await openGit();
    const run = (maxBytes: number) => git.run(script('echo 0123456789'), workspace, { isLong, maxBytes });
    expect(await run(11)).toEqual({ code: 0, stdout: '0123456789\n', stderr: '' });
    expect(await run(10)).toEqual({ code: 125, stdout: '', stderr: 'its output exceeds 10 bytes' });
  });

  test('ends with all it started when its caller leaves', async () => {
    const { git, workspace } = await openGit();
    const leaving = new AbortController();
    const nap = newNap();
    const running = git.run(script(`sleep ${nap}`), workspace, { isLong, signal: leaving.signal });
    await until(() => findSleepers(nap).length === 1);
    leaving.abort(new Error('left'));
    await expect(running).rejects.toThrow('left');
    await until(() => findSleepers(nap).length === 0);
    await expect(git.run(['version'], workspace, { isLong, signal: leaving.signal })).rejects.toThrow('left');
  });

  test('without git says so, and what to do', async () => {
    const { git, workspace } = await openGit('group', newFolders().workspace);
    const refused = await refusal(git.run(['version'], workspace, { isLong }));
    expect(refused).toBeInstanceOf(ToolyardError);
    expect([refused.code, refused.message]).toEqual([
      'worktree_failed',
      expect.stringMatching(
        /^git could not be started: no such program in PATH .* install it, or draft the agent without/,
      ),
    ]);
  });

  test('fetches nothing from anywhere, whatever a repository allows', async () => {
    const { git, workspace } = await openGit();
    const sung = join(workspace, 'sung');
    writeFileSync(join(workspace, 'config'), '[protocol "ext"]\nallow = always\n');
    const args = ['-c', 'protocol.ext.allow=always', 'ls-remote', `ext::sh -c "touch ${sung}"`];
    const result = await git.run(args, workspace, { isLong });
    expect(result).toMatchObject({
      code: 128,
      stderr: expect.stringContaining("transport 'ext' not allowed"),
    });
  });
});

test.each(kinds)('P7: a long run is owned by the sandbox, by %s', async (kind) => {
  const { git, workspace, sandbox } = await openGit(kind);
  const nap = newNap();
  const running = git.run(script(`sleep ${nap}`), workspace, { isLong: true });
  await until(() => findSleepers(nap).length === 1);
  await sandbox.close();
  expect(findSleepers(nap)).toEqual([]);
  expect((await running).code).not.toBe(0);
});
