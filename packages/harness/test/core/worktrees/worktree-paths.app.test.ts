import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { judgePath } from '../../../src/core/protected-paths/protected-paths.ts';
import { findWorkspace } from '../../../src/core/workspace/workspaces.ts';
import { git, makeRepository, openWorktrees } from './git-machine.ts';

test('an agent in a worktree may write there, and not where git or anybody else would obey it', async () => {
  const root = makeRepository();
  const { draft } = await openWorktrees();
  const { plan } = await draft(join(root, 'sub'));
  const other = await draft(root);
  expect(findWorkspace(plan.cwd)).toBe(plan.path);
  const within = {
    cwd: plan.cwd,
    workspace: plan.path,
    home: '/nowhere/.toolyard',
    userHome: '/nowhere',
    roots: [],
  };
  const kindOf = async (path: string) => (await judgePath({ path, access: 'write' }, within)).kind;
  const admin = git(plan.path, 'rev-parse', '--absolute-git-dir');
  const paths = {
    'file.txt': 'inside',
    '../new/file.txt': 'inside',
    '../.git': 'denied',
    '../.GIT': 'denied',
    '../.git/hooks/post-commit': 'denied',
    '../.toolyard/roles/x.md': 'denied',
    [join(root, '.git/hooks/post-commit')]: 'denied',
    [join(root, '.git/config')]: 'denied',
    [join(admin, 'config.worktree')]: 'denied',
    [join(other.plan.path, '.git')]: 'denied',
    [join(other.plan.path, 'sub/file.txt')]: 'outside',
    [join(dirname(plan.path), 'agt_planted')]: 'outside',
    '../../../readme.md': 'outside',
  };
  const found = await Promise.all(Object.keys(paths).map(async (path) => [path, await kindOf(path)]));
  expect(Object.fromEntries(found)).toEqual(paths);
});

test('one who works in the repository itself cannot change what the worktrees of others belong to', async () => {
  const root = makeRepository();
  const { draft } = await openWorktrees();
  const { plan } = await draft(root);
  const within = { cwd: root, workspace: root, home: '/nowhere/.toolyard', userHome: '/nowhere', roots: [] };
  const verdict = await judgePath({ path: join(plan.path, '.git'), access: 'write' }, within);
  expect(verdict).toEqual({ kind: 'denied', rule: '.git is protected' });
});
