// The files around worktrees: the folder they are in, what git is to ignore, and removing one. Follows no link.
import type { Stats } from 'node:fs';
import { appendFile, chmod, lstat, mkdir, readdir, readFile, realpath, rm, rmdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';

/** Below the top of a repository. */
export const folderName = '.worktrees';

const excluded = `/${folderName}/`;

/** The folder that worktrees of a repository are in, made if need be. Refuses what the repository put in its place. */
export async function requireFolder(top: string): Promise<string> {
  const folder = join(top, folderName);
  const before = await readStats(folder);
  if (!before) await mkdir(folder).catch(() => {});
  if (!(await isOwnDirectory(folder)))
    throw new ToolyardError(
      'worktree_failed',
      `${folder} is a file or a link, not a directory. Remove it, or draft the agent without isolation.`,
    );
  return folder;
}

/** There, a directory, and reached without a link. */
export async function isOwnDirectory(path: string): Promise<boolean> {
  if (!(await readStats(path))?.isDirectory()) return false;
  return (await realpath(path).catch(() => undefined)) === path;
}

/** Nothing when it is not there or cannot be looked at. */
export function readStats(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined);
}

/** Once: what is in worktrees is nothing that the repository should show as new. */
export async function excludeFolder(common: string): Promise<void> {
  const file = join(common, 'info', 'exclude');
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.split(/\r?\n/).includes(excluded)) return;
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${excluded}\n`);
}

/** The directory of a session in its worktree, made when no commit has it. Never one that a link leads to. */
export async function requireInside(worktree: string, cwd: string): Promise<void> {
  const names = cwd.slice(worktree.length).split(sep).filter(Boolean);
  let folder = worktree;
  for (const name of names) {
    folder = join(folder, name);
    if (!(await readStats(folder))) await mkdir(folder);
    if (!(await isOwnDirectory(folder)))
      throw new ToolyardError(
        'worktree_failed',
        `${folder} is not a directory in the commit that the agent starts from.`,
      );
  }
}

/** The directory with all in it, also what its owner made read-only. */
export async function removeTree(path: string): Promise<void> {
  if (!(await readStats(path))) return;
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function makeWritable(folder: string): Promise<void> {
  if (!(await readStats(folder))?.isDirectory()) return;
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}

/** Unless somebody else's worktree is in it. */
export async function removeFolderIfEmpty(top: string): Promise<void> {
  await rmdir(join(top, folderName)).catch(() => {});
}

export async function isEmptyOrMissing(path: string): Promise<boolean> {
  return (await readdir(path).catch(() => [])).length === 0;
}
