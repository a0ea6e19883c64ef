// Ends a worktree: what is not committed is committed, what was changed is counted, the directory goes. Nothing that an
// agent left is lost: whatever cannot be committed keeps the directory. Uses plumbing only, which runs no program.
import { basename, join } from 'node:path';
import { ToolyardError, type Worktree } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';
import {
  folderName,
  isEmptyOrMissing,
  isOwnDirectory,
  readStats,
  removeFile,
  removeIfEmpty,
  requireReadable,
} from './worktree-files.ts';
import { type Git, openRepositoryGit, type RepositoryGit, toLine } from './worktree-git.ts';
import { listIndex, sparseOption, toName, unmark } from './worktree-index.ts';
import { forget, isOfOtherHome, lockOf, type Place, stateOf } from './worktree-open.ts';

export interface Finish {
  keep: boolean;
  taskSlug: string;
  logger: Logger;
  signal?: AbortSignal | undefined;
}

/** May be called again, also after a crash within it. */
export async function finishWorktree(git: Git, place: Place, finish: Finish): Promise<Worktree> {
  const { branch, path, base } = place.worktree;
  const { keep, logger, signal } = finish;
  if (await isOfOtherHome(place)) return { branch, path, base, kept: true };
  const state = await stateOf(place);
  const isKnown = (await readStats(place.admin)) !== undefined;
  const wasUsed = state !== 'making' && (await isOwnDirectory(path));
  const isSaved = !wasUsed || (isKnown && (await save(git, place, finish)));
  const shared = await openRepositoryGit(git, place.common, signal);
  const tip = (await commitOf(shared, `refs/heads/${branch}`)) ?? base;
  const diff = await diffOf(shared, base, tip);
  if (!isSaved)
    logger.warn('kept a worktree, because not everything in it could be committed', { path, branch });
  if (wasUsed && (keep || !isSaved || (await lockOf(place.admin)) !== undefined))
    return { branch, path, base, diff, kept: true };
  await place.alone(async () => {
    await forget(place);
    await removeIfEmpty(join(place.top, folderName));
  });
  if (tip === base) await shared.run(['update-ref', '-d', `refs/heads/${branch}`, base]);
  const isRemoved = tip === base && (await commitOf(shared, `refs/heads/${branch}`)) === undefined;
  return { branch, path, base, diff, ...(isRemoved && { removed: true }) };
}

/** Commits what is there onto the branch. Says whether that is all there is. */
async function save(git: Git, place: Place, { taskSlug, signal, logger }: Finish): Promise<boolean> {
  const { admin, common, worktree } = place;
  try {
    await requireReadable({ common, admin, path: worktree.path });
    // Of a git that was killed with its agent.
    const locks = [join(admin, 'index'), join(admin, 'HEAD'), join(common, 'refs', 'heads', worktree.branch)];
    for (const file of locks) await removeFile(`${file}.lock`);
    const own = await openRepositoryGit(git, admin, signal);
    const isComplete = await stage(own, worktree.path);
    const tree = await own.runChecked('write the agent’s changes', ['write-tree']);
    await commit(own, place, { tree, taskSlug });
    return isComplete && (await hasNoOther(own, worktree.path));
  } catch (thrown) {
    signal?.throwIfAborted();
    if (!(thrown instanceof ToolyardError) || thrown.code !== 'worktree_failed') throw thrown;
    logger.warn('could not commit the changes of an agent', { path: worktree.path, cause: thrown });
    return false;
  }
}

/** Other repositories inside are not looked into: git would obey what is configured there. */
async function stage(own: RepositoryGit, path: string): Promise<boolean> {
  const entries = await listIndex(own);
  const isAllSeen = await unmark(own, path, entries);
  const others = toOthers(entries).map((other) => `:(exclude,top,literal)${other}`);
  const args = [...sparseOption, 'add', '--all', '--ignore-errors', '--', '.', ...others];
  return (await own.run(args, { cwd: path, workTree: path, isLong: true })).code === 0 && isAllSeen;
}

async function hasNoOther(own: RepositoryGit, path: string): Promise<boolean> {
  const others = toOthers(await listIndex(own));
  const empty = await Promise.all(others.map((other) => isEmptyOrMissing(join(path, other))));
  return empty.every(Boolean);
}

/** Repositories inside the working tree, as its index has them: submodules, mostly. */
function toOthers(entries: readonly string[]): string[] {
  return entries.filter((entry) => entry.startsWith('160000 ', 2)).map(toName);
}

/**
 * Onto what is checked out, which an agent may have changed; what it left on its branch is an ancestor then, too. Only
 * the agent's own branch is moved.
 */
async function commit(
  own: RepositoryGit,
  { worktree: { branch, path } }: Place,
  { tree, taskSlug }: { tree: string; taskSlug: string },
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const [head, tip] = [await commitOf(own, 'HEAD'), await commitOf(own, ref)];
  const isBehind = tip !== undefined && head !== undefined && (await isAncestor(own, tip, head));
  const parents = [head, isBehind ? undefined : tip].filter((parent) => parent !== undefined);
  const [first] = parents;
  const isSame =
    parents.length === 1 &&
    first &&
    (await own.runChecked('read a commit', ['rev-parse', `${first}^{tree}`])) === tree;
  const message = `Work of ${basename(path)} on ${taskSlug}\n\nChanges that the agent had not committed when it ended.`;
  const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-m', message, tree];
  const final = isSame ? first : await own.runChecked('commit the agent’s changes', args);
  if (final !== tip)
    await own.runChecked('move the agent’s branch', [
      'update-ref',
      '-m',
      'toolyard',
      ref,
      final,
      ...(tip ? [tip] : []),
    ]);
}

async function isAncestor(own: RepositoryGit, one: string, other: string): Promise<boolean> {
  return (await own.run(['merge-base', '--is-ancestor', one, other])).code === 0;
}

async function commitOf(git: RepositoryGit, name: string): Promise<string | undefined> {
  const { code, stdout } = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  return code === 0 ? toLine(stdout) : undefined;
}

async function diffOf(
  shared: RepositoryGit,
  base: string,
  tip: string,
): Promise<NonNullable<Worktree['diff']>> {
  const flags = ['--shortstat', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const stat = await shared.runChecked('compare the agent’s work', ['diff-tree', ...flags, base, tip]);
  const count = await shared.runChecked('count the agent’s commits', [
    'rev-list',
    '--count',
    `${base}..${tip}`,
  ]);
  const numberOf = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(stat)?.[1] ?? 0);
  return {
    files: numberOf('file'),
    insertions: numberOf('insertion'),
    deletions: numberOf('deletion'),
    commits: Number(count),
  };
}
