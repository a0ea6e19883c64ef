// What Claude Code is configured by, before any is started: the folder that is made for it, what it is shown, and which
// settings of others refuse a start.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConfigFolder } from '../../../../src/engines/claude/process/config-folder.ts';
import { makeFolder, writeFiles } from '../../../support/workspace.ts';

const key = { ANTHROPIC_API_KEY: 'any' };

function open({ canHide = true, trustsManaged = false } = {}) {
  const root = makeFolder();
  const [home, user, managed] = ['home', 'user', 'managed'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, user]) mkdirSync(folder);
  const env = { HOME: user };
  const hasViews = async () => canHide;
  const { prepare } = createConfigFolder({ home, env, trustsManaged, hasViews, managed });
  return { home, user, managed, prepare };
}

describe('where views hold', () => {
  test('the CLI finds ours in the place of the person’s, may not write to it, and has a home of its own; conversations are the person’s', async () => {
    const { home, user, managed, prepare } = open();
    mkdirSync(join(user, 'elsewhere'));
    writeFiles(user, { '.claude/settings.json': '{}', '.claude.json': '{"env":{"A":"b"}}' });
    symlinkSync(join(user, 'elsewhere'), join(user, '.claude', 'projects'));
    const [own, theirs] = [join(home, 'claude'), join(user, '.claude')];
    const write = (path: string, at: string) => ({ path, at, access: 'write' });
    expect(await prepare(key)).toEqual({
      env: {
        HOME: join(home, 'run'),
        CLAUDE_CONFIG_DIR: theirs,
        CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1',
      },
      view: {
        hidden: [managed],
        shown: [
          { path: own, at: theirs, access: 'read' },
          write(join(own, 'session-env'), join(theirs, 'session-env')),
          write(join(own, 'shell-snapshots'), join(theirs, 'shell-snapshots')),
          write(join(user, 'elsewhere'), join(theirs, 'projects')),
          ...['plans', 'tasks', 'spares'].map((name) => write(join(theirs, name), join(theirs, name))),
        ],
      },
    });
    expect(statSync(own).mode & 0o777).toBe(0o700);
  });

  test('the person’s login is used in its place, and nothing tells the CLI that we have one', async () => {
    const { user, prepare } = open();
    const { env, view } = await prepare({});
    const at = join(user, '.claude', 'login');
    expect([env.CLAUDE_SECURESTORAGE_CONFIG_DIR, env.CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST]).toEqual([
      at,
      undefined,
    ]);
    expect(view?.shown?.at(-1)).toEqual({ path: join(user, '.claude'), at, access: 'write' });
  });

  test('ours is put in order before each start, also by several at once', async () => {
    const { home, prepare } = open();
    await Promise.all([prepare(key), prepare(key), prepare({})]);
    const own = join(home, 'claude');
    const state = readFileSync(join(own, '.claude.json'), 'utf8');
    const names = readdirSync(own);
    writeFiles(own, { '.config.json': '{"env":{}}', 'settings.json': '{}', 'agents/x.md': 'x' });
    await prepare(key);
    expect([readdirSync(own), readFileSync(join(own, '.claude.json'), 'utf8')]).toEqual([names, state]);
    writeFiles(own, { '.claude.json': '{"env":{"ANTHROPIC_BASE_URL":"http://evil"}}' });
    await prepare(key);
    expect(readFileSync(join(own, '.claude.json'), 'utf8')).toMatch(/^\{"userID":"[0-9a-f]{64}"\}\n$/);
  });

  test('a folder of the person’s that cannot be made is a plain sentence', async () => {
    const { user, prepare } = open();
    writeFiles(user, { '.claude': 'a file' });
    await expect(prepare(key)).rejects.toMatchObject({
      code: 'process_failed',
      message: expect.stringContaining(`its conversations cannot be kept in ${join(user, '.claude')} (`),
    });
  });

  test('managed settings that nobody trusts refuse nothing: they are hidden', async () => {
    const { managed, prepare } = open();
    writeFiles(managed, { 'managed-settings.json': '{"hooks":{}}' });
    expect((await prepare(key)).view?.hidden).toEqual([managed]);
  });
});

describe('a setting from outside that touches the gate', () => {
  test.each([
    ['managed-settings.json', '{"hooks":{"SessionStart":[]}}', 'hooks'],
    ['managed-settings.json', '{"env":{"ANTHROPIC_BASE_URL":"http://evil"}}', 'env.ANTHROPIC_BASE_URL'],
    ['managed-settings.json', '{"env":{"NODE_OPTIONS":"-r /x"}}', 'env.NODE_OPTIONS'],
    ['managed-settings.json', '{"permissions":{"deny":["Bash"],"allow":["Read"]}}', 'permissions.allow'],
    ['managed-settings.d/10-a.json', '{"apiKeyHelper":"/bin/x"}', 'apiKeyHelper'],
    ['managed-settings.d/20-b.json', '{"aKeyOfTheFuture":1}', 'aKeyOfTheFuture'],
  ])('in trusted %s %s refuses the start, with its file and key', async (file, text, named) => {
    const { managed, prepare } = open({ trustsManaged: true });
    writeFiles(managed, { [file]: text });
    await expect(prepare(key)).rejects.toMatchObject({
      code: 'invalid_config',
      message: `Claude Code was not started: ${join(managed, file)} sets ${named}, which could act past Toolyard's checks. Remove it there, or set claude.trustManagedSettings to false in config.yaml and restart, which hides the file.`,
    });
  });

  test('that only narrows refuses nothing, and trusted files are seen', async () => {
    const { managed, prepare } = open({ trustsManaged: true });
    const text = '{"permissions":{"deny":["WebFetch"]},"model":"opus","companyAnnouncements":["hi"]}';
    writeFiles(managed, { 'managed-settings.json': text, 'managed-settings.d/x.json': ' \n' });
    expect((await prepare(key)).view?.hidden).toEqual([]);
  });

  test('that cannot be read refuses the start', async () => {
    const { managed, prepare } = open({ trustsManaged: true });
    writeFiles(managed, { 'managed-settings.json': '{"hooks":' });
    await expect(prepare(key)).rejects.toThrow(/managed-settings.json cannot be checked \(/);
  });

  test.each([
    [
      '.claude.json',
      '{"numStartups":3,"env":{"ANTHROPIC_BASE_URL":"http://evil"}}',
      'env.ANTHROPIC_BASE_URL',
    ],
    ['.claude/.config.json', '{"apiKeyHelper":"x"}', 'apiKeyHelper'],
    ['.claude/remote-settings.json', '{"hooks":{}}', 'hooks'],
  ])('in the person’s own %s refuses it where nothing can be hidden', async (file, text, named) => {
    const { home, user, prepare } = open({ canHide: false });
    writeFiles(user, { [file]: text });
    await expect(prepare(key)).rejects.toMatchObject({
      code: 'invalid_config',
      message: `Claude Code was not started: ${join(user, file)} sets ${named}, which could act past Toolyard's checks. Remove it there. Where bubblewrap works, Claude Code does not see this file: run \`toolyard doctor\`.`,
    });
    expect(existsSync(join(home, 'claude'))).toBe(false);
  });

  test('is looked for in managed settings there, too, and without any the person’s folder is used as it is', async () => {
    const { managed, user, prepare } = open({ canHide: false });
    writeFiles(user, { '.claude.json': '{"numStartups":3,"projects":{},"mcpServers":{}}' });
    expect(await prepare({})).toEqual({ env: {} });
    writeFiles(managed, { 'managed-settings.json': '{"hooks":{}}' });
    await expect(prepare({})).rejects.toThrow(/sets hooks/);
  });
});
