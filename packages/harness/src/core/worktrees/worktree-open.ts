// Makes a worktree, or finds the one that was made before a crash. Nothing is checked out before it is known which
// programs the repository would have git run.
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { ToolyardError, type Worktree } from '@toolyard/sdk';
import type { KeyedMutex } from '../lib/keyed-mutex.ts';
import {
  excludeFolder,
  isOwnDirectory,
  readNote,
  readStats,
  removeIfEmpty,
  removeTree,
  requireFolder,
  requireInside,
  requireReadable,
} from './worktree-files.ts';
import { type Git, gitFailed, openRepositoryGit, type RepositoryGit, toLine } from './worktree-git.ts';
import { readOwner, recordOwner, removeRecord } from './worktree-records.ts';

/** The lock of a worktree in which nobody has worked yet. */
const beingMade = 'toolyard: being made';
/** Beside what git knows of a worktree, where earlier versions recorded the home that made it. */
const oldRecord = 'toolyard-home';

export interface Place {
  worktree: Pick<Worktree, 'branch' | 'path' | 'base'>;
  top: string;
  /** What all worktrees of the repository share. */
  common: string;
  /** Where git keeps what it knows about this one. */
  admin: string;
  /** Whose agents work here. */
  home: string;
  /** Git trips over worktrees of the same repository that come or go meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** By the top that the worktree is below: the worktree itself may say anything. */
export async function toPlace(
  { git, mutex, home }: { git: Git; mutex: KeyedMutex; home: string },
  { branch, path, base }: Place['worktree'],
  signal?: AbortSignal,
): Promise<Place> {
  const top = dirname(dirname(path));
  if (!(await isOwnDirectory(top)))
    throw new ToolyardError('worktree_failed', `The repository of ${path} no longer exists.`);
  await requireReadable({ common: join(top, '.git') });
  const found = await git.run(['rev-parse', '--path-format=absolute', '--git-common-dir'], top, { signal });
  if (found.code !== 0) throw gitFailed('find the repository of a worktree', found);
  const common = await realpath(toLine(found.stdout));
  // A repository can claim to be kept anywhere.
  if (`${common}${sep}`.startsWith(`${await realpath(home)}${sep}`))
    throw new ToolyardError('worktree_failed', `The repository of ${path} is kept in the home of Toolyard.`);
  const admin = join(common, 'worktrees', basename(path));
  return {
    worktree: { branch, path, base },
    top,
    common,
    admin,
    home,
    alone: (work) => mutex(common, work),
  };
}

/** `making`: nobody has worked in it, because it never was complete. */
export type PlaceState = 'none' | 'making' | 'ready' | 'gone' | 'spoiled';

export async function stateOf({ worktree, admin }: Place): Promise<PlaceState> {
  const [hasAdmin, isThere] = [await readStats(admin), await isOwnDirectory(worktree.path)];
  if (!hasAdmin) return (await readStats(worktree.path)) ? 'spoiled' : 'none';
  const lock = await lockOf(admin);
  if (lock === beingMade || lock === 'initializing') return 'making';
  if (!(await readStats(worktree.path))) return 'gone';
  const link = await readNote(join(worktree.path, '.git'));
  return isThere && link === `gitdir: ${admin}` ? 'ready' : 'spoiled';
}

/** Why somebody wants a worktree to stay, if so. */
export function lockOf(admin: string): Promise<string | undefined> {
  return readNote(join(admin, 'locked'));
}

/** Whether what is there is the worktree of another home. */
export async function isOfOtherHome(place: Place): Promise<boolean> {
  if ((await stateOf(place)) === 'none') return false;
  const owner = (await readOwner(place)) ?? (await readNote(join(place.admin, oldRecord)));
  return owner !== place.home;
}

export async function openWorktree(git: Git, place: Place, cwd: string, signal?: AbortSignal): Promise<void> {
  const { worktree, top, common } = place;
  await requireReadable({ common, admin: place.admin, path: worktree.path });
  await requireFolder(top);
  await place.alone(() => excludeFolder(common));
  const state = await stateOf(place);
  if (state === 'spoiled')
    throw new ToolyardError(
      'worktree_failed',
      `${worktree.path} already exists and is not a worktree that git knows. Check it, then remove it.`,
    );
  if (await isOfOtherHome(place))
    throw new ToolyardError(
      'worktree_failed',
      `${worktree.path} is the worktree of an agent in another home. Remove it there, or draft a new agent here.`,
    );
  if (state !== 'ready') await make(git, place, { isNew: state === 'none', signal });
  await requireInside(worktree.path, cwd);
}

async function make(
  git: Git,
  place: Place,
  { isNew, signal }: { isNew: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const { worktree, admin, common } = place;
  const shared = await openRepositoryGit(git, common, signal);
  await place.alone(async () => {
    if (!isNew) await forget(place);
    await recordOwner(place);
    await add(shared, place);
  });
  if (!(await isOwnDirectory(worktree.path)))
    throw new ToolyardError('worktree_failed', `${worktree.path} was moved.`);
  const own = await openRepositoryGit(git, admin, signal);
  const where = { cwd: worktree.path, workTree: worktree.path, isLong: true };
  await own.runChecked(
    'check out the files',
    ['reset', '--hard', '--quiet', '--no-recurse-submodules'],
    where,
  );
  await place.alone(() => shared.runChecked('complete the worktree', ['worktree', 'unlock', worktree.path]));
}

async function add(shared: RepositoryGit, { worktree, top }: Place): Promise<void> {
  const { branch, path, base } = worktree;
  const hasBranch =
    (await shared.run(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])).code === 0;
  // With a branch from before a crash, what was committed on it is kept.
  const what = hasBranch ? [path, branch] : ['--no-track', '-b', branch, path, base];
  const made = ['--no-checkout', '--lock', '--reason', beingMade];
  const result = await shared.run(['worktree', 'add', '--quiet', ...made, ...what], { cwd: top });
  const hint = ' Remove or rename any branch "toolyard": branches of agents begin with toolyard/.';
  if (result.code !== 0)
    throw gitFailed('create a worktree', result, /cannot lock ref/.test(result.stderr) ? hint : '');
}

/** Takes the worktree away, its branch not. Other worktrees that git has lost sight of are not touched. */
export async function forget(place: Place): Promise<void> {
  const { worktree, admin } = place;
  await removeTree(worktree.path);
  await removeTree(admin);
  await removeIfEmpty(dirname(admin));
  await removeRecord(place);
}
