// The files around worktrees: the folder they are in, what git is to ignore, and removing one. All of it lies where
// agents can write.
import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';
import { isRealFolder, type OpenFolder, openFolder } from '../../untrusted-files/untrusted-files.ts';

/** Below the top of a repository. */
export const folderName = '.worktrees';

const excluded = `/${folderName}/`;
const maxExcludeBytes = 1_048_576;
const maxNoteBytes = 65_536;

/** The folder that worktrees of a repository are in, made if need be. Refuses what the repository put in its place. */
export async function requireFolder(top: string): Promise<void> {
  await using parent = await openFolder(top);
  await requireSubfolder(
    parent,
    folderName,
    `${join(top, folderName)} is a file or a link, not a directory. Remove it, or draft the agent without isolation.`,
  ).then((folder) => folder[Symbol.asyncDispose]());
}

async function requireSubfolder(parent: OpenFolder, name: string, otherwise: string): Promise<OpenFolder> {
  return parent.requireFolder(name).catch((cause) => {
    throw new ToolyardError('worktree_failed', otherwise, { cause });
  });
}

/** There, a directory, and reached without a link. */
export const isOwnDirectory = isRealFolder;

/** Nothing when it is not there or cannot be looked at. Good for a first look only: it may be another by now. */
export function readStats(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined);
}

/** What git or we have noted in a small file; nothing for anything else in its place. */
export async function readNote(path: string): Promise<string | undefined> {
  try {
    await using folder = await openFolder(dirname(path));
    return (await folder.readText(basename(path), maxNoteBytes))?.trim();
  } catch {
    return undefined;
  }
}

/** Once: what is in worktrees is nothing that the repository should show as new. A file that is not one stays as it is. */
export async function excludeFolder(common: string): Promise<void> {
  await using repository = await openFolder(common);
  await using info = await repository.requireFolder('info').catch(() => undefined);
  const text = await info?.readText('exclude', maxExcludeBytes).then(
    (found) => found ?? '',
    () => undefined,
  );
  if (text === undefined || text.split(/\r?\n/).includes(excluded)) return;
  await info?.writeText('exclude', `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${excluded}\n`);
}

/** What git reads whenever it runs. */
const readByGit = {
  repository: [
    ...['HEAD', 'config', 'config.worktree', 'index', 'packed-refs'],
    ...['info/attributes', 'info/exclude', 'info/sparse-checkout'],
  ],
  tree: ['.gitattributes', '.gitignore', '.gitmodules'],
};

/** Throws `worktree_failed` for a pipe or a device where git would wait for it. */
export async function requireReadable({
  common,
  admin,
  path,
}: {
  common: string;
  admin?: string;
  path?: string;
}): Promise<void> {
  const { repository, tree } = readByGit;
  const files = [
    ...repository.map((name) => join(common, name)),
    ...(admin === undefined ? [] : [...repository, 'locked'].map((name) => join(admin, name))),
    ...(path === undefined ? [] : tree.map((name) => join(path, name))),
  ];
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found && !found.isFile() && !found.isDirectory())
      throw new ToolyardError(
        'worktree_failed',
        `${file} is a pipe or a device, so git would wait for it. Remove it, or draft the agent without isolation.`,
      );
  }
}

/** The directory of a session in its worktree, made when no commit has it. Never one that a link leads to. */
export async function requireInside(worktree: string, cwd: string): Promise<void> {
  const names = cwd.slice(worktree.length).split(sep).filter(Boolean);
  let path = worktree;
  let folder = await openFolder(worktree);
  try {
    for (const name of names) {
      path = join(path, name);
      const otherwise = `${path} is not a directory in the commit that the agent starts from.`;
      const next = await requireSubfolder(folder, name, otherwise);
      await folder[Symbol.asyncDispose]();
      folder = next;
    }
  } finally {
    await folder[Symbol.asyncDispose]();
  }
}

/** The directory with all in it, also what its owner made read-only. Nothing happens where a link leads to it. */
export async function removeTree(path: string): Promise<void> {
  await inParent(path, (parent, name) => parent.removeTree(name));
}

export async function removeFile(path: string): Promise<void> {
  await inParent(path, (parent, name) => parent.removeFile(name));
}

/** Unless somebody else's worktree is in it. */
export async function removeIfEmpty(path: string): Promise<void> {
  await inParent(path, (parent, name) => parent.removeEmptyFolder(name)).catch(() => {});
}

async function inParent(
  path: string,
  work: (parent: OpenFolder, name: string) => Promise<void>,
): Promise<void> {
  if (!(await isRealFolder(dirname(path)))) return;
  await using parent = await openFolder(dirname(path));
  await work(parent, basename(path));
}

export async function isEmptyOrMissing(path: string): Promise<boolean> {
  try {
    await using folder = await openFolder(path);
    return (await folder.names()).length === 0;
  } catch {
    return true;
  }
}
