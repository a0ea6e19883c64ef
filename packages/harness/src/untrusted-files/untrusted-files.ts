// Files in folders where an agent may write while we work: repositories, worktrees, transcripts. A name can become a
// link, a pipe or another folder between two calls, so nothing here goes by a path twice: a folder is opened without
// following a link and held, and everything in it is reached through the held descriptor, one name at a time. Only
// regular files are opened, never waiting for a pipe, and no more is read than was asked for.
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';

export class NotRegularFileError extends Error {
  readonly code = 'ENOTREGULAR';
  constructor() {
    super('it is not a regular file');
  }
}

export class FileTooLargeError extends Error {
  readonly code = 'EFBIG';
  constructor(maxBytes: number) {
    super(`it is larger than ${maxBytes} bytes`);
  }
}

/** A regular file, opened for reading. A link, a pipe or a device is refused at once. The caller closes it. */
export async function openRegularFile(path: string, { followLinks = false } = {}): Promise<fs.FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW);
  const file = await fs.open(path, flags).catch((thrown) => {
    // ELOOP: a link. ENXIO: a socket.
    if (codeOf(thrown) === 'ELOOP' || codeOf(thrown) === 'ENXIO') throw new NotRegularFileError();
    throw thrown;
  });
  try {
    if (!(await file.stat()).isFile()) throw new NotRegularFileError();
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/**
 * One below a folder that a person chose: that folder may be reached by a link, nothing below it may, unless the person
 * alone can write there.
 */
export async function openRegularFileBelow(
  folder: string,
  path: string,
  { followLinks = false } = {},
): Promise<fs.FileHandle> {
  const names = path.split('/');
  let held = await hold(folder, { followLinks: true });
  try {
    for (const name of names.slice(0, -1)) {
      const parent = held;
      held = await hold(at(parent, name), { followLinks });
      await parent.handle.close();
    }
    return await openRegularFile(at(held, names.at(-1) ?? ''), { followLinks });
  } finally {
    await held.handle.close();
  }
}

/** The text of one file, in whatever folder. Nothing when it is not there. */
export async function readText(path: string, maxBytes: number): Promise<string | undefined> {
  return orMissing(async () => {
    await using file = await openRegularFile(path);
    return await readBounded(file, maxBytes);
  });
}

/**
 * A folder that is held open. All methods take one name, never a path, and act on the folder that was opened, whatever
 * its own name leads to by now.
 */
export interface OpenFolder extends AsyncDisposable {
  /** What the name stands for itself, links not followed. Nothing when it is not there. */
  stat(name: string): Promise<Stats | undefined>;
  names(): Promise<string[]>;
  /** Rejects when it is a link or no folder. */
  openFolder(name: string): Promise<OpenFolder>;
  /** Makes it if it is missing. Rejects when something else has its name. */
  requireFolder(name: string): Promise<OpenFolder>;
  /** Nothing when it is not there. Rejects for what is not a regular file, and for more than `maxBytes`. */
  readText(name: string, maxBytes: number): Promise<string | undefined>;
  /** In place of what has the name, at once: a link is replaced, never followed. */
  writeText(name: string, text: string): Promise<void>;
  /** A file or a link; a missing one is fine. */
  removeFile(name: string): Promise<void>;
  /** An empty folder. */
  removeEmptyFolder(name: string): Promise<void>;
  /** The name and everything below it, on this disk only. Links are removed, and nothing behind them is. */
  removeTree(name: string): Promise<void>;
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** By its real path: a link anywhere on the way is refused. Rejects when it is not there. */
export async function openFolder(path: string): Promise<OpenFolder> {
  if (!isAbsolute(path)) throw new TypeError(`${path} is not an absolute path`);
  let held = await hold('/');
  for (const name of path.split(sep).filter((part) => part !== '')) {
    const parent = held;
    try {
      held = await hold(at(parent, name));
    } finally {
      await parent.handle.close();
    }
  }
  return toFolder(held);
}

/** Made if it is missing. Its path may hold links that a person made; what is answered is without. */
export async function requireFolder(path: string): Promise<{ folder: OpenFolder; path: string }> {
  await fs.mkdir(path, { recursive: true, mode: 0o700 });
  const real = await fs.realpath(path);
  return { folder: await openFolder(real), path: real };
}

/** Is there such a folder, reached without a link? */
export async function isRealFolder(path: string): Promise<boolean> {
  try {
    await using _folder = await openFolder(path);
    return true;
  } catch {
    return false;
  }
}

/** An open folder, and a path that leads to it alone. */
interface Held {
  handle: fs.FileHandle;
  anchor: string;
  stats: Stats;
}

async function hold(path: string, { followLinks = false } = {}): Promise<Held> {
  const handle = await fs.open(path, followLinks ? folderFlags & ~constants.O_NOFOLLOW : folderFlags);
  try {
    const stats = await handle.stat();
    return { handle, stats, anchor: await toAnchor(handle, stats) };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/**
 * The descriptor's path on Linux, that of its number on the disk on macOS. Where it does not lead back to the folder,
 * nothing here could be done safely, and nothing is.
 */
async function toAnchor({ fd }: fs.FileHandle, { dev, ino }: Stats): Promise<string> {
  const anchor = process.platform === 'darwin' ? `/.vol/${dev}/${ino}` : `/proc/self/fd/${fd}`;
  const found = await orMissing(() => fs.stat(anchor));
  if (found?.ino === ino && found.dev === dev) return anchor;
  throw withCode('ENOTSUP', 'this computer has no /proc, by which a folder is held open');
}

function at({ anchor }: Held, name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
    throw new TypeError(`${JSON.stringify(name)} is not the name of a file`);
  return `${anchor}/${name}`;
}

function toFolder(held: Held): OpenFolder {
  return {
    stat: (name) => orMissing(() => fs.lstat(at(held, name))),
    names: () => fs.readdir(held.anchor),
    openFolder: async (name) => toFolder(await hold(at(held, name))),
    async requireFolder(name) {
      await fs.mkdir(at(held, name)).catch((thrown) => {
        if (codeOf(thrown) !== 'EEXIST') throw thrown;
      });
      return toFolder(await hold(at(held, name)));
    },
    readText: async (name, maxBytes) => readText(at(held, name), maxBytes),
    writeText: (name, text) => writeText(held, name, text),
    removeFile: async (name) => void (await orMissing(() => fs.unlink(at(held, name)))),
    removeEmptyFolder: async (name) => void (await orMissing(() => fs.rmdir(at(held, name)))),
    removeTree: (name) => removeTree(held, name),
    [Symbol.asyncDispose]: () => held.handle.close(),
  };
}

async function readBounded(file: fs.FileHandle, maxBytes: number): Promise<string> {
  const buffer = Buffer.alloc(Math.min(maxBytes, (await file.stat()).size) + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  if (filled > maxBytes) throw new FileTooLargeError(maxBytes);
  return buffer.toString('utf8', 0, filled);
}

async function writeText(held: Held, name: string, text: string): Promise<void> {
  const temporary = at(held, temporaryName());
  const before = await orMissing(() => fs.lstat(at(held, name)));
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    await using file = await fs.open(temporary, flags, before?.isFile() ? before.mode & 0o777 : 0o644);
    await file.writeFile(text);
    await file.sync();
    await fs.rename(temporary, at(held, name));
  } catch (thrown) {
    await fs.unlink(temporary).catch(() => {});
    throw thrown;
  }
}

/** Somebody who swaps names all the time is not waited for. */
const maxTries = 8;
/** Each level holds a descriptor. What lies deeper is moved up first. */
const maxDepth = 64;
const batchSize = 64;

interface Removal {
  top: Held;
  /** Names in `top` of folders that lay too deep. */
  moved: string[];
}

async function removeTree(top: Held, name: string): Promise<void> {
  const removal: Removal = { top, moved: [name] };
  for (let next = removal.moved.pop(); next !== undefined; next = removal.moved.pop())
    await removeName(removal, top, next, 0);
}

async function removeName(removal: Removal, parent: Held, name: string, depth: number): Promise<void> {
  for (let tried = 0; tried < maxTries; tried++) {
    try {
      await fs.unlink(at(parent, name));
      return;
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return;
      // Linux says EISDIR of a folder, macOS says EPERM.
      if (codeOf(thrown) !== 'EISDIR' && codeOf(thrown) !== 'EPERM') throw thrown;
    }
    if (await removeFolder(removal, parent, name, depth)) return;
  }
  throw withCode('EBUSY', `${name} is being changed by another process`);
}

/** Codes of a name that is not what it was a moment ago, or not yet empty again. */
const swapped = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENOTEMPTY', 'EEXIST']);

/** False when the name has come to mean something else meanwhile. */
async function removeFolder(removal: Removal, parent: Held, name: string, depth: number): Promise<boolean> {
  try {
    await makeUsable(at(parent, name));
    if (depth >= maxDepth) {
      const higher = temporaryName();
      await fs.rename(at(parent, name), at(removal.top, higher));
      removal.moved.push(higher);
      return true;
    }
    const held = await hold(at(parent, name));
    try {
      if (held.stats.dev !== removal.top.stats.dev) throw withCode('EXDEV', `${name} is on another disk`);
      await removeContents(removal, held, depth);
    } finally {
      await held.handle.close();
    }
    await fs.rmdir(at(parent, name));
    return true;
  } catch (thrown) {
    if (swapped.has(codeOf(thrown))) return false;
    throw thrown;
  }
}

async function removeContents(removal: Removal, held: Held, depth: number): Promise<void> {
  const names: string[] = [];
  const removeBatch = () =>
    Promise.all(names.splice(0).map((name) => fs.unlink(at(held, name)).catch(() => {})));
  const others: string[] = [];
  for await (const entry of await fs.opendir(held.anchor)) {
    if (entry.isDirectory()) others.push(entry.name);
    else if (names.push(entry.name) >= batchSize) await removeBatch();
  }
  await removeBatch();
  for (const name of others) await removeName(removal, held, name, depth + 1);
}

/** Its owner may have taken its own rights away. The folder is opened without them: nothing else can be meant. */
async function makeUsable(path: string): Promise<void> {
  const before = await fs.lstat(path);
  if (!before.isDirectory() || (before.mode & 0o700) === 0o700) return;
  if (process.platform === 'darwin') return fs.lchmod(path, 0o700);
  await using handle = await fs.open(path, pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  await fs.chmod(`/proc/self/fd/${handle.fd}`, 0o700);
}

/** Linux's O_PATH, for which Node has no name: a place without the right to read it. */
const pathOnly = 0o10000000;

function temporaryName(): string {
  return `.toolyard-${randomUUID()}`;
}

async function orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return undefined;
    throw thrown;
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
