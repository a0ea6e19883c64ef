// Finds the files that stand at given places below a root, with what tells one state of a file from the next. Bounded
// in number and depth; opens no file.
import { type BigIntStats, type Dir, lstatSync, opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../lib/ports.ts';

/** One file, the files of a folder, or (`deep`) those of all folders below it too. The root itself is ''. */
export interface Place {
  path: string;
  kind: 'file' | 'folder' | 'deep';
  /** Of a folder: only names that end so. */
  ending?: string;
}

export type WalkEntry = { path: string } & (
  | { kind: 'file'; signature: string; changedAt: number; uid: number }
  | { kind: 'skipped'; why: string; uid: number }
  | { kind: 'problem'; why: string }
);

export interface WalkOptions {
  root: string;
  places: readonly Place[];
  followLinks: boolean;
  /** A folder to stay out of. */
  avoid: string | undefined;
  /** Names in a folder, sorted; nothing when it cannot be listed. */
  list: ListFolder;
}

export type ListFolder = (path: string, stats: BigIntStats) => readonly string[] | undefined;

/** Two changes within one tick of the file system's clock look like one; only what is older is believed unchanged. */
export const settleMs = 2_000;

const maxEntries = 1_000;
const maxDepth = 8;
const tooMany = `it has more than ${maxEntries} files and folders`;
const notRegular = 'it is not a regular file';

/** Sorted by path. Synchronous: it runs before every call that is judged, and a look at a few files takes microseconds. */
export function walk(options: WalkOptions): WalkEntry[] {
  const found = new Map<string, WalkEntry>();
  for (const place of options.places) {
    for (const entry of walkPlace(place, options)) found.set(entry.path, entry);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One place being walked. */
interface Visit extends WalkOptions {
  place: Place;
  found: WalkEntry[];
  /** Everything that was looked at, folders too: a forest of empty folders must end as well. */
  looked: number;
}

function walkPlace(place: Place, options: WalkOptions): WalkEntry[] {
  const visit: Visit = { ...options, place, found: [], looked: 0 };
  // Every folder on the way is looked at: a link half-way would lead out of the root.
  const steps = place.path.split('/');
  for (let length = 1; length <= steps.length; length++) {
    const path = steps.slice(0, length).join('/');
    const stats = inspect(visit, path);
    if (!stats) break;
    if (length === steps.length) take(visit, path, stats, 1);
  }
  if (visit.looked <= maxEntries) return visit.found;
  return [{ path: place.path, kind: 'problem', why: tooMany }];
}

function take(visit: Visit, path: string, stats: BigIntStats, depth: number): void {
  const { place, found, root, avoid } = visit;
  if (stats.isFile()) found.push(toFileEntry(path, stats));
  // A sandbox mounts empty folders over files that must not be made: that says nothing.
  else if (place.kind === 'file') return;
  else if (depth > maxDepth) {
    found.push({ path, kind: 'problem', why: `it is nested deeper than ${maxDepth} folders` });
  } else if (join(root, path) !== avoid) takeFolder(visit, path, stats, depth);
}

function takeFolder(visit: Visit, path: string, stats: BigIntStats, depth: number): void {
  const { place, found } = visit;
  const names = visit.list(join(visit.root, path), stats);
  if (!names) return void found.push({ path, kind: 'problem', why: 'it cannot be listed' });
  for (const name of names) {
    if (visit.looked > maxEntries) return;
    const child = path === '' ? name : `${path}/${name}`;
    const inside = inspect(visit, child);
    const isWanted = inside?.isFile() ? name.endsWith(place.ending ?? '') : place.kind === 'deep';
    if (inside && isWanted) take(visit, child, inside, depth + 1);
  }
}

/** A file or a folder. Anything else that is there is noted. */
function inspect(visit: Visit, path: string): BigIntStats | undefined {
  visit.looked++;
  try {
    const readStats = visit.followLinks ? statSync : lstatSync;
    const stats = readStats(join(visit.root, path), { bigint: true, throwIfNoEntry: false });
    if (!stats || stats.isFile() || stats.isDirectory()) return stats;
    const why = stats.isSymbolicLink() ? 'it is a link, and links are not followed here' : notRegular;
    visit.found.push({ path, kind: 'skipped', why, uid: Number(stats.uid) });
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code !== 'ENOTDIR') visit.found.push({ path, kind: 'problem', why: `it cannot be read (${code})` });
  }
  return undefined;
}

function toFileEntry(path: string, stats: BigIntStats): WalkEntry {
  const { ctimeMs, uid } = stats;
  return { path, kind: 'file', signature: toSignature(stats), changedAt: Number(ctimeMs), uid: Number(uid) };
}

/** Lists a folder again only when its own times have changed: for folders that lie on an ordinary disk. */
export function createCachedList(clock: Clock): ListFolder {
  const cache = new Map<string, { signature: string; names: readonly string[] }>();
  return (path, stats) => {
    const signature = toSignature(stats);
    const known = cache.get(path);
    if (known?.signature === signature) return known.names;
    cache.delete(path);
    const names = readNames(path);
    if (names && stats.ctimeMs < clock.now() - settleMs) cache.set(path, { signature, names });
    return names;
  };
}

/** At most one name more than may be. */
export function readNames(path: string): string[] | undefined {
  let folder: Dir | undefined;
  try {
    folder = opendirSync(path);
    const names: string[] = [];
    while (names.length <= maxEntries) {
      const entry = folder.readSync();
      if (!entry) break;
      names.push(entry.name);
    }
    return names.sort();
  } catch {
    return undefined;
  } finally {
    folder?.closeSync();
  }
}

/** Differs as soon as a file is another one or was changed: its owner cannot set the change time back. */
export function toSignature({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
