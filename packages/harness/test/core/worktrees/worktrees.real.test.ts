import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeFiles } from '../../support/workspace.ts';
import { commitFiles, git, makeRepository, openWorktrees, remainsOf, textOf } from './git-machine.ts';

const asked = { keep: false, taskSlug: 'checkout' };

describe('a worktree of an agent', () => {
  test('has a branch and a directory of its own, which the repository does not show', async () => {
    const root = makeRepository();
    const { draft } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    const id = plan.path.split('/').at(-1) ?? '';
    expect(plan).toEqual({
      branch: `toolyard/checkout-${id.slice(-8)}`,
      path: join(root, '.worktrees', id),
      base: git(root, 'rev-parse', 'HEAD'),
      cwd: join(root, '.worktrees', id),
    });
    expect(worktree).toEqual({ branch: plan.branch, path: plan.path, base: plan.base });
    expect(textOf(plan.path, 'sub/file.txt')).toBe('one\n');
    expect(git(plan.path, 'symbolic-ref', '--short', 'HEAD')).toBe(plan.branch);
    expect(remainsOf(root)).toEqual({ branches: [plan.branch], worktrees: 2, folder: true, status: '' });
  });

  test('what it did not commit is committed by us, counted, and the directory goes', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    writeFiles(plan.path, { 'own.txt': 'a\nb\n' });
    git(plan.path, 'add', 'own.txt');
    git(plan.path, 'commit', '--quiet', '-m', 'of the agent');
    writeFiles(plan.path, {
      'sub/file.txt': 'two\n',
      'new file.txt': 'x\n',
      'bytes.bin': new Uint8Array([0, 1, 2]),
    });
    rmSync(join(plan.path, 'readme.md'));
    const finished = await finish(worktree, asked);
    expect(finished).toEqual({ ...worktree, diff: { files: 5, insertions: 4, deletions: 2, commits: 2 } });
    expect(remainsOf(root)).toEqual({ branches: [plan.branch], worktrees: 1, folder: false, status: '' });
    const id = plan.path.split('/').at(-1);
    expect(git(root, 'log', '-1', '--format=%an|%cn|%s', plan.branch)).toBe(
      `Toolyard|Toolyard|Work of ${id} on checkout`,
    );
    expect(git(root, 'show', `${plan.branch}:sub/file.txt`)).toBe('two');
    expect(await finish(worktree, asked)).toEqual(finished);
  });

  test('leaves nothing when nothing was changed, and says so', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const { worktree } = await draft(root);
    const nothing = {
      ...worktree,
      removed: true,
      diff: { files: 0, insertions: 0, deletions: 0, commits: 0 },
    };
    expect(await finish(worktree, asked)).toEqual(nothing);
    expect(remainsOf(root)).toEqual({ branches: [], worktrees: 1, folder: false, status: '' });
    expect(await finish(worktree, asked)).toEqual(nothing);
  });

  test('is left there when that was asked for, with all committed', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    writeFiles(plan.path, { 'a.txt': 'x\n' });
    const finished = await finish(worktree, { ...asked, keep: true });
    expect(finished).toEqual({
      ...worktree,
      diff: { files: 1, insertions: 1, deletions: 0, commits: 1 },
      kept: true,
    });
    expect(git(plan.path, 'status', '--porcelain')).toBe('');
    expect(await finish(worktree, { ...asked, keep: true })).toEqual(finished);
  });

  test('is left there when somebody has locked it', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    git(root, 'worktree', 'lock', '--reason', 'mine', plan.path);
    expect(await finish(worktree, asked)).toMatchObject({ kept: true });
    expect(existsSync(plan.path)).toBe(true);
  });

  test('begins where its parent works, in the directory that it works in, even one no commit has', async () => {
    const root = makeRepository();
    mkdirSync(join(root, 'sub/not yet'));
    const { draft, plan: planOf } = await openWorktrees();
    const { plan } = await draft(join(root, 'sub/not yet'));
    expect(plan.cwd).toBe(join(plan.path, 'sub/not yet'));
    expect(existsSync(plan.cwd)).toBe(true);
    commitFiles(plan.path, { 'own.txt': 'x' });
    const child = await planOf(plan.cwd, { agentId: 'agt_000000000000000000zzzz', taskSlug: 'checkout' });
    expect(child).toEqual({
      branch: 'toolyard/checkout-0000zzzz',
      path: join(root, '.worktrees/agt_000000000000000000zzzz'),
      base: git(plan.path, 'rev-parse', 'HEAD'),
      cwd: join(root, '.worktrees/agt_000000000000000000zzzz/sub/not yet'),
    });
  });

  test('five at once do not get in each other’s way', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const drafts = await Promise.all(Array.from({ length: 5 }, () => draft(root)));
    drafts.forEach(({ plan }, index) => {
      writeFiles(plan.path, { [`${index}.txt`]: 'x\n' });
    });
    const finished = await Promise.all(drafts.map(({ worktree }) => finish(worktree, asked)));
    expect(finished.map(({ diff }) => diff?.files)).toEqual([1, 1, 1, 1, 1]);
    expect(remainsOf(root)).toMatchObject({ worktrees: 1, folder: false, status: '' });
    expect(readFileSync(join(root, '.git/info/exclude'), 'utf8').match(/\.worktrees/g)).toHaveLength(1);
  });
});

describe('what git was told not to look at', () => {
  const files = {
    'a.txt': 'one\n',
    'b.txt': 'one\n',
    'c.txt': 'one\n',
    'd.txt': 'one\n',
    'sub/e.txt': 'one\n',
  };
  const changes = (root: string, { branch, base }: { branch: string; base: string }) =>
    git(root, 'diff', '--name-status', base, branch).split('\n');

  test('is committed all the same, and what was deleted there is', async () => {
    const root = makeRepository(files);
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    git(plan.path, 'update-index', '--assume-unchanged', 'a.txt', 'b.txt', 'c.txt');
    git(plan.path, 'update-index', '--skip-worktree', 'c.txt', 'd.txt', 'sub/e.txt');
    writeFiles(plan.path, { 'a.txt': 'two\n', 'c.txt': 'two\n', 'sub/e.txt': 'two\n' });
    rmSync(join(plan.path, 'b.txt'));
    const finished = await finish(worktree, asked);
    expect(finished).toEqual({ ...worktree, diff: { files: 4, insertions: 3, deletions: 4, commits: 1 } });
    expect(changes(root, worktree)).toEqual(['M\ta.txt', 'D\tb.txt', 'M\tc.txt', 'M\tsub/e.txt']);
    expect(existsSync(plan.path)).toBe(false);
  });

  test.each([['--cone'], ['--no-cone']])(
    'and is not checked out, sparsely with %s, is not deleted; what is made there is committed',
    async (cone) => {
      const root = makeRepository({ ...files, 'other/f.txt': 'one\n', 'other/g.txt': 'one\n' });
      const { draft, finish } = await openWorktrees();
      const { plan, worktree } = await draft(root);
      git(plan.path, 'sparse-checkout', 'set', cone, 'sub');
      expect(existsSync(join(plan.path, 'other'))).toBe(false);
      writeFiles(plan.path, { 'sub/e.txt': 'two\n', 'other/g.txt': 'two\n', 'other/new.txt': 'new\n' });
      expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 3, commits: 1 } });
      expect(changes(root, worktree)).toEqual(['M\tother/g.txt', 'A\tother/new.txt', 'M\tsub/e.txt']);
      expect(existsSync(plan.path)).toBe(false);
    },
  );
});

describe('after a crash', () => {
  test('a worktree that was made is used as it is', async () => {
    const root = makeRepository();
    const { draft, open } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    writeFiles(plan.path, { 'half.txt': 'half done' });
    expect(await open(plan)).toEqual(worktree);
    expect(textOf(plan.path, 'half.txt')).toBe('half done');
    expect(readFileSync(join(root, '.git/info/exclude'), 'utf8').match(/\.worktrees/g)).toHaveLength(1);
  });

  test('one that was half made is made anew, and nothing of it is taken for work', async () => {
    const root = makeRepository();
    const { draft, open, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    const admin = join(root, '.git/worktrees', plan.path.split('/').at(-1) ?? '');
    const halve = () => {
      writeFileSync(join(admin, 'locked'), 'toolyard: being made');
      rmSync(join(plan.path, 'sub'), { recursive: true });
    };
    halve();
    await open(plan);
    expect(textOf(plan.path, 'sub/file.txt')).toBe('one\n');
    halve();
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 0, commits: 0 } });
    expect(remainsOf(root)).toEqual({ branches: [], worktrees: 1, folder: false, status: '' });
  });

  test('one whose directory is gone begins again where its branch is', async () => {
    const root = makeRepository();
    const { draft, open } = await openWorktrees();
    const { plan } = await draft(root);
    commitFiles(plan.path, { 'own.txt': 'x' });
    rmSync(plan.path, { recursive: true });
    await open(plan);
    expect(textOf(plan.path, 'own.txt')).toBe('x');
  });

  test('a git that was killed with its agent holds nothing up', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    writeFiles(plan.path, { 'a.txt': 'x\n' });
    writeFileSync(join(root, '.git/worktrees', plan.path.split('/').at(-1) ?? '', 'index.lock'), '');
    writeFileSync(join(root, '.git/refs/heads', `${plan.branch}.lock`), '');
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 1 } });
  });

  test('one of another home is let alone: a copy of a home does not end what the original works on', async () => {
    const root = makeRepository();
    const [original, copy] = [await openWorktrees(), await openWorktrees()];
    const { plan, worktree } = await original.draft(root);
    writeFiles(plan.path, { 'a.txt': 'x\n' });
    expect(await copy.finish(worktree, asked)).toEqual({ ...worktree, kept: true });
    await expect(copy.open(plan)).rejects.toMatchObject({ code: 'worktree_failed' });
    expect(existsSync(join(plan.path, 'a.txt'))).toBe(true);
    await original.open(plan);
    expect(await original.finish(worktree, asked)).toMatchObject({ diff: { files: 1 } });
  });
});
