// How much of the disk a home takes, by what it is, and how much there is left. Looks at names and sizes, opens nothing,
// and lets others work in between.
import { lstat, opendir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Folders of a home whose size is its own line. Whatever else lies there is `other`. */
const folders = ['outputs', 'logs', 'traces', 'backups'] as const;
type Folder = (typeof folders)[number];

export type DiskUse = Record<Folder | 'database' | 'other', number>;

export async function measureHome(home: string, signal?: AbortSignal): Promise<DiskUse> {
  const use: DiskUse = { database: 0, outputs: 0, logs: 0, traces: 0, backups: 0, other: 0 };
  for await (const { name } of entriesOf(home)) {
    const part = /^toolyard\.db(?:-wal|-shm)?$/.test(name)
      ? 'database'
      : (folders.find((folder) => folder === name) ?? 'other');
    use[part] += await measure(join(home, name), signal);
  }
  return use;
}

/** Bytes of a file, or of all files below a folder; links count as nothing and lead nowhere. */
export async function measure(path: string, signal?: AbortSignal): Promise<number> {
  // What goes away meanwhile takes no room.
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile()) return found.size;
  if (!found?.isDirectory()) return 0;
  let bytes = 0;
  for await (const { name } of entriesOf(path)) {
    if (signal?.aborted) break;
    bytes += await measure(join(path, name), signal);
  }
  return bytes;
}

/** Names one by one: a folder may hold more than fits in memory at once. A folder that is not there holds none. */
export async function* entriesOf(folder: string): AsyncGenerator<{ name: string; isFolder: boolean }> {
  const open = await opendir(folder).catch(() => undefined);
  if (!open) return;
  for await (const entry of open) yield { name: entry.name, isFolder: entry.isDirectory() };
}

/** Bytes that this user may still write there, or where it would be made; nothing when the system does not say. */
export async function findFreeBytes(path: string): Promise<number | undefined> {
  const found = await statfs(path).catch(() => undefined);
  if (found) return found.bavail * found.bsize;
  return dirname(path) === path ? undefined : findFreeBytes(dirname(path));
}
