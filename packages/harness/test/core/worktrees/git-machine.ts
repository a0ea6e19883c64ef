// Real repositories in folders, and worktrees over the real git in a real sandbox, as the app wires them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createWorktrees } from '../../../src/core/worktrees/worktrees.ts';
import { createGit } from '../../../src/sandbox/git.ts';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { type Files, makeFolder, writeFiles } from '../../support/workspace.ts';

const identity = [
  '-c',
  'user.name=Person',
  '-c',
  'user.email=person@example.invalid',
  '-c',
  'protocol.file.allow=always',
];

/** As the person would, in any folder. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** A repository with these files in its one commit. */
export function makeRepository(
  files: Files = { 'readme.md': 'hello\n', 'sub/file.txt': 'one\n' },
  root = makeFolder(),
) {
  mkdirSync(root, { recursive: true });
  git(root, 'init', '--quiet', '--initial-branch=main');
  commitFiles(root, files);
  return root;
}

export function commitFiles(root: string, files: Files): void {
  writeFiles(root, files);
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--allow-empty', '--message', 'work of a person');
}

let drafted = 0;

/** Another one each time. */
export function newAgentId(): string {
  return `agt_${String(++drafted).padStart(22, '0')}`;
}

/** Worktrees over a person's home without any git configuration, or with that one. */
export async function openWorktrees({
  config = '',
  path = process.env.PATH,
}: {
  config?: string;
  path?: string | undefined;
} = {}) {
  const home = makeFolder();
  const userHome = makeFolder({ '.gitconfig': config });
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const logger = { debug: note, info: () => {}, warn: note, error: note };
  // What a server has in its environment says nothing to git.
  const env = { PATH: path, HOME: userHome, GIT_DIR: '/nowhere', GIT_AUTHOR_NAME: 'the server' };
  const sandbox = await openSandbox({ home, env, logger });
  onTestFinished(() => sandbox.close());
  const worktrees = createWorktrees({ home, git: createGit({ env, spawn: sandbox.spawn }), logger });
  return {
    ...worktrees,
    home,
    logged,
    /** Planned and made. */
    async draft(cwd: string, taskSlug = 'checkout') {
      const plan = await worktrees.plan(cwd, { agentId: newAgentId(), taskSlug });
      return { plan, worktree: await worktrees.open(plan) };
    },
  };
}

/** What the repository has to show of worktrees and of agents' branches. */
export function remainsOf(root: string) {
  return {
    branches: git(root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/toolyard')
      .split('\n')
      .filter(Boolean),
    worktrees: git(root, 'worktree', 'list', '--porcelain')
      .split('\n')
      .filter((line) => line.startsWith('worktree ')).length,
    folder: existsSync(join(root, '.worktrees')),
    status: git(root, 'status', '--porcelain'),
  };
}

export function textOf(...path: string[]): string {
  return readFileSync(join(...path), 'utf8');
}
