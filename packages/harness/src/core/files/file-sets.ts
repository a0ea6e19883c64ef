// Reads a bounded set of files below a root, once, with one hash over all of them: what was hashed is what is used, so
// nobody can swap a file between the check and the use. Follows no link below the root unless told to; never hangs.
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { openRegularFileBelow } from '../../untrusted-files/untrusted-files.ts';
import { toHash } from '../lib/canonical-json.ts';
import type { Clock } from '../lib/ports.ts';
import {
  type ListFolder,
  type Place,
  readNames,
  settleMs,
  toSignature,
  type WalkEntry,
  walk,
} from './file-walk.ts';

export interface FileSet {
  /** Contents by path below the root, sorted. */
  files: ReadonlyMap<string, Uint8Array>;
  /** What stands there and is never read, and why: links, pipes. */
  skipped: ReadonlyMap<string, string>;
  /** What should have been read and could not be, and why. */
  problems: ReadonlyMap<string, string>;
  /** Who owns what is there, as far as it could be looked at. */
  owners: ReadonlyMap<string, number>;
  /** Changes with any path or content above. */
  hash: string;
}

export interface FileSetOptions {
  places: readonly Place[];
  followLinks?: boolean;
  list?: ListFolder;
  clock: Clock;
}

export type ReadFileSet = (root: string, avoid?: string) => Promise<FileSet>;

const maxFileBytes = 1_048_576;
const maxTotalBytes = 8_388_608;
const maxCachedRoots = 64;
const beingChanged = 'it is being changed; try again';

/** Answers the same object as long as nothing changed, so that what is derived from it can be kept beside it. */
export function createFileSets(options: FileSetOptions): ReadFileSet {
  const { places, followLinks = false, list = readNames, clock } = options;
  const cache = new Map<string, { signature: string; set: FileSet }>();

  async function readOnce(root: string, avoid: string | undefined): Promise<FileSet> {
    const seenAt = clock.now();
    const entries = walk({ root, places, followLinks, avoid, list });
    const signature = JSON.stringify(entries);
    const found = cache.get(root);
    if (found?.signature === signature) return found.set;
    cache.delete(root);
    const set = await readAll(root, entries, followLinks);
    if (set.problems.size === 0 && entries.every((entry) => isSettled(entry, seenAt))) {
      cache.set(root, { signature, set });
      const [oldest] = cache.keys();
      if (cache.size > maxCachedRoots && oldest !== undefined) cache.delete(oldest);
    }
    return set;
  }

  return async (root, avoid) => {
    let set = await readOnce(root, avoid);
    for (let again = 0; again < 3 && [...set.problems.values()].includes(beingChanged); again++) {
      set = await readOnce(root, avoid);
    }
    return set;
  };
}

function isSettled(entry: WalkEntry, seenAt: number): boolean {
  return entry.kind !== 'file' || entry.changedAt < seenAt - settleMs;
}

async function readAll(root: string, entries: readonly WalkEntry[], followLinks: boolean): Promise<FileSet> {
  const files = new Map<string, Uint8Array>();
  const skipped = new Map<string, string>();
  const problems = new Map<string, string>();
  let left = maxTotalBytes;
  for (const entry of entries) {
    const { path } = entry;
    if (entry.kind === 'skipped') skipped.set(path, entry.why);
    else if (entry.kind === 'problem') problems.set(path, entry.why);
    else {
      const content = await readFile(root, path, { expected: entry.signature, followLinks, left });
      if (typeof content === 'string') problems.set(path, content);
      else files.set(path, content);
      left -= content.length;
    }
  }
  const owners = new Map(entries.flatMap((each) => ('uid' in each ? [[each.path, each.uid]] : [])));
  return { files, skipped, problems, owners, hash: hashOf({ files, skipped, problems }) };
}

function hashOf({ files, skipped, problems }: Pick<FileSet, 'files' | 'skipped' | 'problems'>): string {
  return toHash({
    files: [...files].map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')]),
    skipped: [...skipped.keys()],
    problems: [...problems.keys()],
  });
}

/** The bytes, or why they cannot be had. */
async function readFile(
  root: string,
  path: string,
  { expected, followLinks, left }: { expected: string; followLinks: boolean; left: number },
): Promise<Uint8Array | string> {
  let file: FileHandle | undefined;
  try {
    file = await openRegularFileBelow(root, path, { followLinks });
    const stats = await file.stat({ bigint: true });
    if (toSignature(stats) !== expected) return beingChanged;
    const size = Number(stats.size);
    if (size > maxFileBytes) return `it is larger than ${maxFileBytes} bytes`;
    if (size > left) return `with it, the files exceed ${maxTotalBytes} bytes in total`;
    return await readBytes(file, size);
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? ` (${thrown.code})` : '';
    return `it cannot be read${code}`;
  } finally {
    await file?.close();
  }
}

async function readBytes(file: FileHandle, size: number): Promise<Uint8Array | string> {
  // One byte more than it should have: a file that grows meanwhile is noticed, never read half.
  const buffer = Buffer.alloc(size + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === size ? buffer.subarray(0, size) : beingChanged;
}
