import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, refusalOf, writeFiles } from '../../support/workspace.ts';
import { commitFiles, git, makeRepository, openWorktrees, remainsOf, textOf } from './git-machine.ts';

const asked = { keep: false, taskSlug: 'checkout' };

/** A program that tells when it is run, and passes on what it is given. */
/** A program that leaves a mark when it is run: in a repository, because git may write nowhere else. */
function makeCanary(repository: string) {
  const folder = mkdtempSync(join(repository, '.git/canary-'));
  const sung = join(folder, 'sung');
  const program = join(folder, 'canary');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${sung}\nexec cat\n`);
  chmodSync(program, 0o755);
  return { program, sings: () => existsSync(sung) };
}

type Trap = (root: string, program: string) => void;

const hooks = [
  'post-checkout',
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'reference-transaction',
];

const plantHooks: Trap = (root, program) => {
  for (const name of hooks) {
    mkdirSync(join(root, '.git/hooks'), { recursive: true });
    symlinkSync(program, join(root, '.git/hooks', name));
  }
};

const plantFilter: Trap = (root, program) => {
  for (const key of ['clean', 'smudge']) git(root, 'config', `filter.evil.${key}`, program);
  git(root, 'config', 'filter.evil.required', 'true');
  writeFileSync(join(root, '.git/info/attributes'), '* filter=evil\n');
};

const traps: [string, Trap][] = [
  ['hooks', plantHooks],
  [
    'hooks elsewhere',
    (root, program) => {
      plantHooks(root, program);
      renameSync(join(root, '.git/hooks'), join(root, '.git/others'));
      git(root, 'config', 'core.hooksPath', join(root, '.git/others'));
    },
  ],
  ['a monitor', (root, program) => git(root, 'config', 'core.fsmonitor', program)],
  ['filters', plantFilter],
  [
    'filters for branches of agents only',
    (root, program) => {
      const file = join(root, '.git/included');
      plantFilter(root, program);
      renameSync(join(root, '.git/config'), file);
      const includes = `[includeIf "onbranch:toolyard/**"]\npath = ${file}\n[includeIf "onbranch:probe"]\npath = ${file}\n`;
      writeFileSync(join(root, '.git/config'), `[core]\nrepositoryformatversion = 0\n${includes}`);
    },
  ],
];

describe('nothing of a repository runs', () => {
  test.each(traps)('%s', async (_, plant) => {
    const root = makeRepository();
    const { program, sings } = makeCanary(root);
    plant(root, program);
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    writeFiles(plan.path, { 'sub/file.txt': 'two\n', 'new.txt': 'x\n' });
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 2 } });
    expect(git(root, 'cat-file', '-p', `${plan.branch}:sub/file.txt`)).toBe('two');
    expect(sings()).toBe(false);
    // The trap is one: a person's own git falls into it.
    git(root, 'worktree', 'add', '--quiet', '-b', 'probe', join(makeFolder(), 'probe'));
    git(root, 'status');
    expect(sings()).toBe(true);
  });

  test('a filter whose name cannot be switched off is refused', async () => {
    const root = makeRepository();
    const { program, sings } = makeCanary(root);
    git(root, 'config', '--file', '.git/config', 'filter.a=b.smudge', program);
    writeFileSync(join(root, '.git/info/attributes'), '* filter=a=b\n');
    const { draft } = await openWorktrees();
    expect(await refusalOf(draft(root))).toMatchObject(['worktree_failed', expect.stringContaining('"="')]);
    expect(sings()).toBe(false);
  });

  test('a filter of the person’s own configuration does its work, whatever the repository says of it', async () => {
    const root = makeRepository();
    const [own, other] = [makeCanary(root), makeCanary(root)];
    git(root, 'config', 'filter.large.smudge', other.program);
    writeFileSync(join(root, '.git/info/attributes'), '* filter=large\n');
    const { draft } = await openWorktrees({
      config: `[filter "large"]\nsmudge = ${own.program}\nclean = cat\n`,
    });
    await draft(root);
    expect([own.sings(), other.sings()]).toEqual([true, false]);
  });

  test('not what an agent put into the place of its .git, nor into that of a submodule', async () => {
    const root = makeRepository();
    git(root, 'submodule', '--quiet', 'add', makeRepository({ 'module.txt': 'x\n' }), 'module');
    commitFiles(root, {});
    const { program, sings } = makeCanary(root);
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    rmSync(join(plan.path, '.git'));
    for (const folder of [plan.path, join(plan.path, 'module')]) {
      makeRepository({ 'own.txt': 'x\n' }, folder);
      git(folder, 'config', 'core.fsmonitor', program);
      git(folder, 'config', 'filter.evil.clean', program);
      writeFiles(folder, { '.gitattributes': '* filter=evil\n' });
    }
    expect(await finish(worktree, asked)).toMatchObject({ kept: true, diff: { files: 2, commits: 1 } });
    expect(git(root, 'show', `${plan.branch}:own.txt`)).toBe('x');
    expect(sings()).toBe(false);
    git(plan.path, 'status');
    expect(sings()).toBe(true);
  });
});

describe('an agent that has turned its worktree upside down', () => {
  test('into a link: nothing behind it is committed or removed', async () => {
    const root = makeRepository();
    const elsewhere = makeFolder({ 'private.txt': 'private' });
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    rmSync(plan.path, { recursive: true });
    symlinkSync(elsewhere, plan.path);
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 0, commits: 0 } });
    expect(textOf(elsewhere, 'private.txt')).toBe('private');
    expect(remainsOf(root)).toEqual({ branches: [], worktrees: 1, folder: false, status: '' });
  });

  test('with the repository’s folder a link: nothing behind it is committed or removed', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    const elsewhere = makeFolder({ [`${plan.path.split('/').at(-1)}/private.txt`]: 'private' });
    rmSync(join(root, '.worktrees'), { recursive: true });
    symlinkSync(elsewhere, join(root, '.worktrees'));
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 0, commits: 0 } });
    expect(textOf(elsewhere, plan.path.split('/').at(-1) ?? '', 'private.txt')).toBe('private');
  });

  test('with links where the server keeps notes: it writes through none', async () => {
    const root = makeRepository();
    const victim = join(makeFolder({ 'config.yaml': 'precious: true\n' }), 'config.yaml');
    const { draft, finish } = await openWorktrees();
    const exclude = join(root, '.git/info/exclude');
    rmSync(exclude, { force: true });
    symlinkSync(victim, exclude);
    const { plan, worktree } = await draft(root);
    const admin = join(root, '.git/worktrees', basename(plan.path));
    for (const name of ['toolyard-home', 'locked']) symlinkSync(victim, join(admin, name));
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 0 } });
    expect(textOf(victim)).toBe('precious: true\n');
  });

  test.each(['.git/info/exclude', '.git/config', '.git/worktrees/ID/locked', '.worktrees/ID/.gitignore'])(
    'with a pipe as %s: nobody waits for it, and the work stays',
    async (place) => {
      const root = makeRepository();
      const { draft, finish } = await openWorktrees();
      const { plan, worktree } = await draft(root);
      writeFiles(plan.path, { 'work.txt': 'x' });
      const pipe = join(root, place.replace('ID', basename(plan.path)));
      rmSync(pipe, { force: true });
      execFileSync('mkfifo', [pipe]);
      const refused = expect.objectContaining({ code: 'worktree_failed' });
      const finished = await finish(worktree, asked).catch((thrown: unknown) => thrown);
      expect([{ ...worktree, kept: true, diff: expect.anything() }, refused]).toContainEqual(finished);
      expect(textOf(plan.path, 'work.txt')).toBe('x');
    },
  );

  test('whose repository claims to be kept in the home: it is refused, and nothing is written there', async () => {
    const root = makeRepository();
    const { draft, home } = await openWorktrees();
    renameSync(join(root, '.git'), join(home, 'kept'));
    writeFileSync(join(root, '.git'), `gitdir: ${join(home, 'kept')}\n`);
    const before = readdirSync(join(home, 'kept/info'));
    // Git does not see the home, so for it there is no repository.
    expect(await refusalOf(draft(root))).toMatchObject(['not_a_repository', expect.stringContaining(root)]);
    expect([readdirSync(join(home, 'kept/info')), existsSync(join(root, '.worktrees'))]).toEqual([
      before,
      false,
    ]);
  });

  test('onto another branch: its work is on its own, and the other stays where it is', async () => {
    const root = makeRepository();
    git(root, 'branch', 'other');
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    commitFiles(plan.path, { 'one.txt': '1\n' });
    git(plan.path, 'checkout', '--quiet', 'other');
    writeFiles(plan.path, { 'two.txt': '2\n' });
    expect(await finish(worktree, asked)).toMatchObject({ diff: { files: 1, commits: 2 } });
    expect(git(root, 'rev-parse', 'other')).toBe(git(root, 'rev-parse', 'main'));
    expect(git(root, 'show', `${plan.branch}:two.txt`)).toBe('2');
    expect(git(root, 'log', '--format=%s', plan.branch).split('\n')).toHaveLength(3);
  });

  test('without its branch, its commits or its files: what there is, is saved', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const [loose, orphan, empty] = [await draft(root), await draft(root), await draft(root)];
    git(loose.plan.path, 'checkout', '--quiet', '--detach');
    git(root, 'branch', '--quiet', '-D', loose.plan.branch);
    commitFiles(loose.plan.path, { 'a.txt': 'x\n' });
    git(orphan.plan.path, 'checkout', '--quiet', '--orphan', 'new');
    for (const name of ['readme.md', 'sub']) rmSync(join(empty.plan.path, name), { recursive: true });
    const finished = await Promise.all([loose, orphan, empty].map(({ worktree }) => finish(worktree, asked)));
    expect(finished.map(({ diff, kept }) => [diff, kept])).toEqual([
      [{ files: 1, insertions: 1, deletions: 0, commits: 1 }, undefined],
      [{ files: 0, insertions: 0, deletions: 0, commits: 0 }, undefined],
      [{ files: 2, insertions: 0, deletions: 2, commits: 1 }, undefined],
    ]);
    expect(git(root, 'show', `${loose.plan.branch}:a.txt`)).toBe('x');
  });

  test('with git no longer knowing of it: it stays', async () => {
    const root = makeRepository();
    const { draft, finish } = await openWorktrees();
    const { plan, worktree } = await draft(root);
    writeFiles(plan.path, { 'a.txt': 'x' });
    rmSync(join(root, '.git/worktrees'), { recursive: true });
    expect(await finish(worktree, asked)).toMatchObject({ kept: true, diff: { files: 0 } });
    expect(textOf(plan.path, 'a.txt')).toBe('x');
  });
});
