// Which repository a directory belongs to, and where in it worktrees go. Believes git about the repository, and the disk
// about the rest.
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, sep } from 'node:path';
import { ToolyardError, toVisibleLine } from '@toolyard/sdk';
import { readStats } from './worktree-files.ts';
import { type Git, gitFailed, toLine } from './worktree-git.ts';

export interface Repository {
  /** What all its worktrees share: `.git`, mostly. */
  common: string;
  /** Where worktrees are put: the top of the main working tree, also for who works in a linked one. */
  top: string;
  /** Of the directory that was asked about, below the top of its own working tree. */
  inside: string;
  /** The commit that is checked out. */
  head: string;
}

const otherwise = 'Draft the agent without isolation, or';

/** Throws `not_a_repository` with what to do about it. */
export async function findRepository(git: Git, cwd: string, signal?: AbortSignal): Promise<Repository> {
  const real = await realpath(cwd).catch(() => {
    throw refusal(cwd, 'does not exist', `${otherwise} use another directory.`);
  });
  const ask = (...args: string[]) => git.run(['rev-parse', ...args], real, { signal });
  const kind = await ask('--is-bare-repository', '--is-inside-work-tree');
  if (kind.code !== 0) throw toRefusal(cwd, kind.stderr);
  const [isBare, isInside] = toLine(kind.stdout).split('\n');
  if (isBare === 'true') throw refusal(cwd, 'is a bare repository', `${otherwise} work in a clone of it.`);
  if (isInside !== 'true')
    throw refusal(cwd, 'is inside a .git directory', `${otherwise} use the directory of its repository.`);
  const [ownTop, common] = await Promise.all([
    ask('--show-toplevel'),
    ask('--path-format=absolute', '--git-common-dir'),
  ]);
  for (const result of [ownTop, common])
    if (result.code !== 0) throw gitFailed('find the repository', result);
  const head = await ask('--verify', '--quiet', 'HEAD^{commit}');
  if (head.code !== 0)
    throw refusal(cwd, 'is a repository without a commit', `${otherwise} commit something first.`);
  const places = { ownTop: toLine(ownTop.stdout), common: await realpath(toLine(common.stdout)) };
  return { ...(await toPlaces(cwd, real, places)), head: toLine(head.stdout) };
}

async function toPlaces(cwd: string, real: string, { ownTop, common }: { ownTop: string; common: string }) {
  const inside = relative(ownTop, real);
  // A repository can claim any directory as its working tree.
  const isElsewhere = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  if (isElsewhere || !(await readStats(`${ownTop}${sep}.git`)))
    throw refusal(
      cwd,
      'belongs to a repository whose files are elsewhere',
      `${otherwise} work in a clone of it.`,
    );
  const top = basename(common) === '.git' ? dirname(common) : ownTop;
  return { common, top, inside };
}

function toRefusal(cwd: string, stderr: string): ToolyardError {
  if (/not a git repository/i.test(stderr))
    return refusal(
      cwd,
      'is not in a git repository',
      `${otherwise} create a git repository there and commit something.`,
    );
  const words = toVisibleLine(stderr.trim().split('\n')[0] ?? '').slice(0, 300);
  return refusal(cwd, `is not a repository that git accepts (${words})`, `${otherwise} fix that.`);
}

function refusal(cwd: string, why: string, how: string): ToolyardError {
  const shown = toVisibleLine(cwd).slice(0, 300);
  return new ToolyardError('not_a_repository', `The agent cannot have a worktree: ${shown} ${why}. ${how}`, {
    data: { cwd },
  });
}
