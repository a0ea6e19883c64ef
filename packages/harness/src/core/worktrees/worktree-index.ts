// What the index of a worktree holds, and the marks in it by which git was told not to look at a file: what an agent has
// changed there is work like any other.
import { dirname, join } from 'node:path';
import { readStats } from './worktree-files.ts';
import { gitFailed, type RepositoryGit } from './worktree-git.ts';

/** The index of a repository with half a million files. */
const indexBytes = 73_400_320;

/** As long as the arguments of one command may be together, with room to spare. */
const argumentChars = 100_000;
const separatorChars = 10;

/** Files outside of what is checked out sparsely count, too. */
export const sparseOption = ['-c', 'core.sparseCheckout=false'];

/** Entries as `tag SP mode SP hash SP stage TAB name`. */
export async function listIndex(own: RepositoryGit): Promise<string[]> {
  const listed = await own.run([...sparseOption, 'ls-files', '-v', '--stage', '-z'], {
    maxBytes: indexBytes,
  });
  if (listed.code !== 0) throw gitFailed('list the agent’s changes', listed);
  return listed.stdout.split('\0');
}

export function toName(entry: string): string {
  return entry.slice(entry.indexOf('\t') + 1);
}

/**
 * Takes the marks away from all files that are there. One that is left out of the working tree stays as it is: it is not
 * checked out, and was not deleted. Says whether git looks at everything now.
 */
export async function unmark(own: RepositoryGit, path: string, entries: readonly string[]): Promise<boolean> {
  const isThere = createExistsCheck(path);
  const skipped: string[] = [];
  for (const entry of entries)
    if (/^[Ss]/.test(entry) && (await isThere(toName(entry)))) skipped.push(toName(entry));
  const assumed = entries.filter((entry) => /^[a-z]/.test(entry)).map(toName);
  const isSeen = await mark(own, path, '--no-skip-worktree', skipped);
  return (await mark(own, path, '--no-assume-unchanged', assumed)) && isSeen;
}

async function mark(
  own: RepositoryGit,
  path: string,
  flag: string,
  names: readonly string[],
): Promise<boolean> {
  for (let at = 0; at < names.length; ) {
    const from = at;
    for (let chars = 0; at < names.length && chars < argumentChars; at++)
      chars += (names[at]?.length ?? 0) + separatorChars;
    const args = [...sparseOption, 'update-index', flag, '--', ...names.slice(from, at)];
    if ((await own.run(args, { cwd: path, workTree: path, isLong: true })).code !== 0) return false;
  }
  return true;
}

/** Looks once at each folder: most of what a sparse checkout leaves out lies in few that are not there. */
function createExistsCheck(root: string): (name: string) => Promise<boolean> {
  const folders = new Map([['.', true]]);
  return async function isThere(name) {
    const folder = dirname(name);
    if (!folders.has(folder)) folders.set(folder, await isThere(folder));
    return folders.get(folder) === true && (await readStats(join(root, name))) !== undefined;
  };
}
