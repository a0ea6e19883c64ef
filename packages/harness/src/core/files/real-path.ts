// Where a path leads on this machine's disk, as the kernel would go: link by link, `..` after the link it follows.
import { lstat, readlink, realpath } from 'node:fs/promises';
import { parse, sep } from 'node:path';

const maxLinks = 40;

/**
 * The path without links. What does not exist keeps its name below the deepest part that does; a link to nothing counts
 * as what it points to. Nothing for a circle of links. Takes an absolute path that need not be normal.
 */
export async function toRealPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return walk(path);
  }
}

async function walk(path: string): Promise<string | undefined> {
  let { root } = parse(path);
  const left = toNames(path.slice(root.length)).reverse();
  let walked: string[] = [];
  let links = 0;
  /** Below what is not there nothing is. */
  let isThere = true;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '..') {
      walked.pop();
      isThere = true;
      continue;
    }
    const found: Found = isThere ? await inspect(`${root}${[...walked, name].join(sep)}`) : missing;
    if (found.target === undefined) {
      walked.push(name);
      isThere = found.isThere;
      continue;
    }
    if (++links > maxLinks) return undefined;
    const { root: newRoot } = parse(found.target);
    if (newRoot !== '') [root, walked] = [newRoot, []];
    left.push(...toNames(found.target.slice(newRoot.length)).reverse());
  }
  return `${root}${walked.join(sep)}`;
}

function toNames(path: string): string[] {
  return path
    .split(process.platform === 'win32' ? /[\\/]/ : '/')
    .filter((name) => name !== '' && name !== '.');
}

interface Found {
  isThere: boolean;
  /** Where a link points. */
  target?: string;
}

const missing: Found = { isThere: false };

/** What cannot be looked at counts as missing. */
async function inspect(path: string): Promise<Found> {
  try {
    const isLink = (await lstat(path)).isSymbolicLink();
    return { isThere: true, ...(isLink && { target: await readlink(path) }) };
  } catch {
    return missing;
  }
}
