import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, refusalOf, writeFiles } from '../../support/workspace.ts';
import {
  commitFiles,
  git,
  makeRepository,
  newAgentId,
  openWorktrees,
  remainsOf,
  textOf,
} from './git-machine.ts';

const asked = { keep: false, taskSlug: 'checkout' };

describe('no worktree', () => {
  test('where there is no repository, no commit, no working tree or no git: each says what to do', async () => {
    const { check } = await openWorktrees();
    const plain = makeFolder();
    const empty = makeFolder();
    git(empty, 'init', '--quiet');
    const bare = makeFolder();
    git(bare, 'init', '--quiet', '--bare');
    const root = makeRepository();
    const refusals = await Promise.all(
      [plain, empty, bare, join(root, '.git'), join(root, 'missing')].map((cwd) => refusalOf(check(cwd))),
    );
    const otherwise = 'Draft the agent without isolation, or';
    expect(refusals).toEqual([
      [
        'not_a_repository',
        `The agent cannot have a worktree: ${plain} is not in a git repository. ${otherwise} create a git repository there and commit something.`,
      ],
      [
        'not_a_repository',
        `The agent cannot have a worktree: ${empty} is a repository without a commit. ${otherwise} commit something first.`,
      ],
      [
        'not_a_repository',
        `The agent cannot have a worktree: ${bare} is a bare repository. ${otherwise} work in a clone of it.`,
      ],
      [
        'not_a_repository',
        `The agent cannot have a worktree: ${root}/.git is inside a .git directory. ${otherwise} use the directory of its repository.`,
      ],
      [
        'not_a_repository',
        `The agent cannot have a worktree: ${root}/missing does not exist. ${otherwise} use another directory.`,
      ],
    ]);
    const nowhere = await openWorktrees({ path: makeFolder() });
    expect(await refusalOf(nowhere.check(root))).toEqual([
      'worktree_failed',
      expect.stringMatching(
        /^git could not be started: no such program in PATH .* Worktrees need git: install it/,
      ),
    ]);
    await check(root);
  });

  test('for a repository that claims other directories as its own', async () => {
    const root = makeRepository();
    const { check } = await openWorktrees();
    git(root, 'config', 'core.worktree', '/');
    expect(await refusalOf(check(root))).toMatchObject([
      'not_a_repository',
      expect.stringContaining('elsewhere'),
    ]);
  });

  test.each(['file', 'link', 'dangling link'])('where the repository put a %s in its place', async (kind) => {
    const elsewhere = makeFolder();
    const root = makeRepository();
    const folder = join(root, '.worktrees');
    if (kind === 'file') writeFileSync(folder, '');
    else symlinkSync(kind === 'link' ? elsewhere : join(elsewhere, 'later'), folder);
    const { draft } = await openWorktrees();
    expect(await refusalOf(draft(root))).toEqual([
      'worktree_failed',
      `${folder} is a file or a link, not a directory. Remove it, or draft the agent without isolation.`,
    ]);
    expect(git(elsewhere, 'init', '--quiet')).toBe('');
    expect(existsSync(join(elsewhere, 'later'))).toBe(false);
    expect(git(root, 'for-each-ref', 'refs/heads/toolyard')).toBe('');
  });

  test('for ids and tasks that would lead elsewhere', async () => {
    const root = makeRepository();
    const { plan } = await openWorktrees();
    const ways: [string, string][] = [
      ['../../x', 'checkout'],
      [`agt_${'/'.repeat(22)}`, 'checkout'],
      [newAgentId(), '../x'],
      [newAgentId(), '-d'],
    ];
    for (const [agentId, taskSlug] of ways) await expect(plan(root, { agentId, taskSlug })).rejects.toThrow();
  });

  test('where a directory of that name is there already, which stays as it is', async () => {
    const root = makeRepository();
    const { plan: planOf, open } = await openWorktrees();
    const plan = await planOf(root, { agentId: newAgentId(), taskSlug: 'checkout' });
    writeFiles(plan.path, { 'mine.txt': 'mine' });
    expect(await refusalOf(open(plan))).toMatchObject([
      'worktree_failed',
      expect.stringContaining('already exists'),
    ]);
    expect(textOf(plan.path, 'mine.txt')).toBe('mine');
  });

  test('where a branch called toolyard is in the way, and that is said', async () => {
    const root = makeRepository();
    git(root, 'branch', 'toolyard');
    const { draft } = await openWorktrees();
    expect(await refusalOf(draft(root))).toMatchObject([
      'worktree_failed',
      expect.stringContaining('Remove or rename any branch "toolyard"'),
    ]);
  });

  test('where the agent’s directory is a link in the commit it would begin at', async () => {
    const elsewhere = makeFolder();
    const root = makeRepository();
    symlinkSync(elsewhere, join(root, 'away'));
    commitFiles(root, {});
    const { plan: planOf, open } = await openWorktrees();
    const plan = await planOf(root, { agentId: newAgentId(), taskSlug: 'checkout' });
    expect(await refusalOf(open({ ...plan, cwd: join(plan.path, 'away/deep') }))).toMatchObject([
      'worktree_failed',
      expect.any(String),
    ]);
    expect(existsSync(join(elsewhere, 'deep'))).toBe(false);
  });

  test('once the caller has left', async () => {
    const root = makeRepository();
    const { draft, open } = await openWorktrees();
    const { plan } = await draft(root);
    await expect(open(plan, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });
});

describe('a worktree in', () => {
  test.each(['with space', '-leading', 'line\nbreak', 'quo"te\'s $(x) `y`', 'ünïcode'])(
    'a repository called %j',
    async (name) => {
      const root = makeRepository({ 'a.txt': '1\n' }, join(makeFolder(), name));
      const { draft, finish } = await openWorktrees();
      const { plan, worktree } = await draft(root);
      expect(plan.path.startsWith(`${root}/.worktrees/agt_`)).toBe(true);
      writeFiles(plan.path, { 'b.txt': '2\n', [`${name}/c.txt`]: '3\n' });
      expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 2, insertions: 2, commits: 1 } });
      expect(remainsOf(root)).toMatchObject({ branches: [plan.branch], folder: false, status: '' });
    },
  );

  test('a repository inside another is of the inner one', async () => {
    const outer = makeRepository();
    const inner = makeRepository({ 'inner.txt': 'x' }, join(outer, 'inner'));
    const { draft } = await openWorktrees();
    const { plan } = await draft(inner);
    expect(plan.path.startsWith(`${inner}/.worktrees/`)).toBe(true);
    expect(existsSync(join(plan.path, 'inner.txt'))).toBe(true);
    expect(existsSync(join(outer, '.worktrees'))).toBe(false);
  });

  test('a directory reached by a link is where the link leads', async () => {
    const root = makeRepository();
    const alias = join(makeFolder(), 'alias');
    symlinkSync(join(root, 'sub'), alias);
    const { draft } = await openWorktrees();
    const { plan } = await draft(alias);
    expect(plan.cwd).toBe(join(plan.path, 'sub'));
    expect(plan.path.startsWith(`${root}/.worktrees/`)).toBe(true);
  });

  test('a repository with nothing but a detached commit begins there', async () => {
    const root = makeRepository();
    commitFiles(root, { 'later.txt': 'x' });
    git(root, 'checkout', '--quiet', 'HEAD~1');
    const { draft } = await openWorktrees();
    const { plan } = await draft(root);
    expect(plan.base).toBe(git(root, 'rev-parse', 'main~1'));
    expect(existsSync(join(plan.path, 'later.txt'))).toBe(false);
  });

  test('a linked worktree of a bare repository', async () => {
    const bare = join(makeFolder(), 'bare.git');
    git(makeRepository(), 'clone', '--quiet', '--bare', '.', bare);
    const linked = join(makeFolder(), 'linked');
    git(bare, 'worktree', 'add', '--quiet', linked, 'main');
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(linked);
    expect(plan.path.startsWith(`${linked}/.worktrees/`)).toBe(true);
    writeFiles(plan.path, { 'a.txt': 'x\n' });
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 1 } });
    expect(git(linked, 'status', '--porcelain')).toBe('');
  });

  test('a submodule is of the submodule', async () => {
    const top = makeRepository();
    git(top, 'submodule', '--quiet', 'add', makeRepository({ 'module.txt': 'x\n' }), 'module');
    commitFiles(top, {});
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(join(top, 'module'));
    expect(plan.path.startsWith(`${top}/module/.worktrees/`)).toBe(true);
    expect(textOf(plan.path, 'module.txt')).toBe('x\n');
    writeFiles(plan.path, { 'module.txt': 'y\n' });
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 1, insertions: 1, deletions: 1 } });
    expect(git(top, 'status', '--porcelain')).toBe('');
  });

  test('a repository with submodules leaves them alone, and stays if somebody worked in one', async () => {
    const root = makeRepository();
    git(root, 'submodule', '--quiet', 'add', makeRepository({ 'module.txt': 'x\n' }), 'module');
    commitFiles(root, {});
    const { draft, finish } = await openWorktrees();
    const [idle, busy] = [await draft(root), await draft(root)];
    git(busy.plan.path, 'submodule', '--quiet', 'update', '--init');
    writeFiles(busy.plan.path, { 'module/own.txt': 'x', 'own.txt': 'x\n' });
    expect(await finish(idle.worktree, asked)).toEqual({
      ...idle.worktree,
      diff: { files: 0, insertions: 0, deletions: 0, commits: 0 },
      removed: true,
    });
    expect(await finish(busy.worktree, asked)).toEqual({
      ...busy.worktree,
      diff: { files: 1, insertions: 1, deletions: 0, commits: 1 },
      kept: true,
    });
    expect(textOf(busy.plan.path, 'module/own.txt')).toBe('x');
  });

  test('which an agent has made a repository of its own stays', async () => {
    const root = makeRepository();
    const { draft, finish, logged } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    mkdirSync(join(plan.path, 'own'));
    makeRepository({ 'a.txt': 'x' }, join(plan.path, 'own'));
    expect(await finish(worktree, asked)).toMatchObject({ kept: true });
    expect(textOf(plan.path, 'own/a.txt')).toBe('x');
    expect(logged).toEqual(['kept a worktree, because not everything in it could be committed']);
  });
});
