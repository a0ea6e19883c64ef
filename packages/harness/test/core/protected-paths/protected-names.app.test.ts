import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { writeFiles } from '../../support/workspace.ts';
import { createRandom, expectKinds, makeMachine } from './path-machine.ts';

describe('writes that would configure permissions or run by themselves', () => {
  test('F7: are denied though nothing is there yet', () =>
    expectKinds('write', [
      ['toolyard.yaml', 'denied'],
      ['packages/a/toolyard.yaml', 'denied'],
      ['.toolyard/roles/root.md', 'denied'],
      ['.mcp.json', 'denied'],
      ['.claude/settings.json', 'denied'],
      ['.claude/settings.local.json', 'denied'],
      ['.claude/agents/a.md', 'denied'],
      ['.claude/skills/a/SKILL.md', 'denied'],
      ['sub/.claude/commands/x.md', 'denied'],
      ['.git', 'denied'],
      ['.git/config', 'denied'],
      ['.git/hooks/pre-commit', 'denied'],
      ['.git/modules/a/hooks/post-checkout', 'denied'],
      ['vendor/lib/.git/hooks/pre-commit', 'denied'],
      ['mirror.git/hooks/post-receive', 'denied'],
      ['mirror.git/config', 'denied'],
      ['<user>/.claude/settings.json', 'denied'],
      ['<user>/.claude.json', 'denied'],
      ['~/.claude.json.backup', 'denied'],
      ['~/.claude.json.lock/x', 'denied'],
      ['~/.claude-custom-oauth.json', 'denied'],
      ['/etc/claude-code/managed-settings.json', 'denied'],
      ['/etc/claude-code/managed-settings.d/10-x.json', 'denied'],
      ['~/.bashrc', 'denied'],
      ['~/.zshenv', 'denied'],
      ['~/.ssh/authorized_keys', 'denied'],
      ['~/.gitconfig', 'denied'],
      ['~/.config/git/config', 'denied'],
      ['~/.config/fish/conf.d/x.fish', 'denied'],
      ['~/.local/bin/ls', 'denied'],
      ['~/Library/LaunchAgents/x.plist', 'denied'],
      ['/etc/profile.d/x.sh', 'denied'],
      ['/etc/cron.d/x', 'denied'],
      ['/var/spool/cron/crontabs/root', 'denied'],
      // Their neighbours are ordinary files.
      ['.github/workflows/ci.yml', 'inside'],
      ['.gitignore', 'inside'],
      ['claude/settings.json', 'inside'],
      ['.claude.json.md', 'inside'],
      ['docs/mcp.json', 'inside'],
      ['toolyard.yaml.md', 'inside'],
      ['dotfiles/.bashrc', 'inside'],
      ['CLAUDE.md', 'inside'],
      ['app.git.ts', 'inside'],
      ['~/.config/app/settings.json', 'outside'],
      ['~/.toolyard-notes/x', 'outside'],
      ['~/.profiles', 'outside'],
      ['~/.claude-notes/x', 'outside'],
      ['/etc/profiles', 'outside'],
      ['/etc/hosts', 'outside'],
    ]));

  test('F6: are denied in every spelling that some file system takes for the same name', () =>
    expectKinds('write', [
      ['.MCP.json', 'denied'],
      ['.mcp.JSON', 'denied'],
      ['.Git/hooks/pre-commit', 'denied'],
      ['.git./hooks/pre-commit', 'denied'],
      ['.git /hooks/pre-commit', 'denied'],
      ['.git. . /config', 'denied'],
      ['.mcp.json.', 'denied'],
      ['.mcp.json ', 'denied'],
      ['.mcp.json\u00a0', 'denied'],
      ['.mcp.json::$DATA', 'denied'],
      ['.git::$INDEX_ALLOCATION/config', 'denied'],
      ['.g\u200cit/config', 'denied'],
      ['\ufeff.git/config', 'denied'],
      ['.ｇｉｔ/config', 'denied'],
      ['.ℊit/config', 'denied'],
      ['.claude\u00ad/settings.json', 'denied'],
      ['TOOLYARD.YAML', 'denied'],
      ['toolyard.yaml\n', 'denied'],
      ['~/.BashRC', 'denied'],
      ['.cſh/x', 'inside'],
      ['~/.cſhrc', 'denied'],
      ['%2egit/config', 'denied'],
      ['.git\\config', 'denied'],
    ]));

  test('may be read', () =>
    expectKinds('read', [
      ['.git/config', 'inside'],
      ['.mcp.json', 'inside'],
      ['.claude/settings.json', 'inside'],
      ['toolyard.yaml', 'inside'],
      ['~/.bashrc', 'outside'],
    ]));

  test('reach the file behind a link in the person’s home directory', async () => {
    const machine = makeMachine();
    const { at } = machine;
    writeFiles(at('ws'), { 'dotfiles/bashrc': '', 'dotfiles/vim/vimrc': '' });
    symlinkSync(at('ws/dotfiles/bashrc'), at('user/.bashrc'));
    symlinkSync(at('ws/dotfiles/vim'), at('user/.vim'));
    await expectKinds(
      'write',
      [
        ['dotfiles/bashrc', 'denied'],
        ['dotfiles/vim/plugin/x.vim', 'denied'],
        ['dotfiles/zshrc', 'inside'],
      ],
      machine,
    );
  });

  test('leave a workspace usable that itself lies below such a folder, but not one that is such a folder', async () => {
    const { at, kindOf } = makeMachine();
    const tree = (path: string) => ({ cwd: at(path), workspace: at(path) });
    expect([
      await kindOf('src/a.ts', 'write', tree('ws/.claude/worktrees/one')),
      await kindOf('.claude/settings.json', 'write', tree('ws/.claude/worktrees/one')),
      await kindOf('../../settings.json', 'write', tree('ws/.claude/worktrees/one')),
      await kindOf('settings.json', 'write', tree('ws/.claude')),
    ]).toEqual(['inside', 'denied', 'denied', 'denied']);
  });

  test('of which other programs take notice, a person is asked', () =>
    expectKinds('write', [
      ['.vscode/tasks.json', 'ask'],
      ['.husky/pre-commit', 'ask'],
      ['sub/.envrc', 'ask'],
      ['.gitmodules', 'ask'],
      ['.devcontainer/devcontainer.json', 'ask'],
    ]));
});

test('whatever is put before a protected path, behind it or in its letters, it stays denied', async () => {
  const { at, kindOf } = makeMachine();
  const random = createRandom(20_261_115);
  const targets = ['.git/config', '.mcp.json', '.claude/settings.json', 'toolyard.yaml', '.toolyard/x'];
  const spoiled = Array.from({ length: 400 }, () =>
    spoil(targets[random(targets.length)] ?? '', random, at('ws')),
  );
  const escaped = await Promise.all(
    spoiled.map(async (path) => ((await kindOf(path, 'write')) === 'denied' ? [] : [path])),
  );
  expect(escaped.flat()).toEqual([]);
});

/** The same path to some reader: detours, other letters, characters that are dropped. */
function spoil(path: string, random: (below: number) => number, root: string): string {
  const detours = [
    '',
    './',
    'src/../',
    'not/there/../../',
    `${root}/`,
    ' ',
    './/',
    `..${root.slice(root.lastIndexOf('/'))}/`,
  ];
  const letters = [...path].map((letter) => {
    const ways = [letter, letter, letter.toUpperCase(), `${letter}\u200d`, letter === '/' ? ' /' : letter];
    return ways[random(ways.length)] ?? letter;
  });
  const ends = ['', '.', ' ', '. .', '\u200b'];
  return `${detours[random(detours.length)]}${letters.join('')}${ends[random(ends.length)]}`;
}
