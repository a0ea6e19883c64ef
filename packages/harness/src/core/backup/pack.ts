// Writes a backup: one gzipped tar, its head first, its checksums last. Never opens the home's own database, whose locks
// would be lost with the file's next close: it is given a copy.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ToolyardError } from '@toolyard/sdk';
import { databaseName, fileNames, folderNames, isBackupPath } from './contents.ts';
import { type BackupHead, type FileSum, headName, sumsName } from './manifest.ts';
import { paddingOf, tarEnd, toTarHeader } from './tar.ts';

export interface PackOptions {
  home: string;
  /** A copy of the database that nobody has open. */
  database: string;
  /** Must not exist. */
  target: string;
  head: BackupHead;
}

export interface Packed {
  files: FileSum[];
  /** What of the home is not in it: links, and names that no backup may hold. */
  left: string[];
}

const chunkBytes = 256 * 1024;
const syncEveryBytes = 2 * 1024 * 1024;
/** Read whole: who edits such a file may make it shorter meanwhile. */
const smallBytes = 1024 * 1024;

/** On disk when it resolves. */
export async function pack(options: PackOptions): Promise<Packed> {
  const packed: Packed = { files: [], left: [] };
  // Speed before size: the rest of the machine has work to do.
  const gzip = createGzip({ level: 1, chunkSize: chunkBytes });
  const file = await open(options.target, 'wx', 0o600);
  try {
    await pipeline(Readable.from(toTar(options, packed)), gzip, (chunks) => write(file, chunks));
  } finally {
    await file.close();
  }
  return packed;
}

/** Onto the disk a little at a time: the commit of a writer waits for all that the disk still owes. */
async function write(file: FileHandle, chunks: AsyncIterable<Buffer>): Promise<void> {
  let owed = 0;
  for await (const chunk of chunks) {
    await file.writeFile(chunk);
    owed += chunk.length;
    if (owed < syncEveryBytes) continue;
    await file.datasync();
    owed = 0;
  }
  await file.sync();
}

async function* toTar({ home, database, head }: PackOptions, packed: Packed): AsyncGenerator<Buffer> {
  yield* toOwn(headName, head);
  yield* toFile(database, databaseName, packed);
  for (const name of fileNames) yield* toFile(join(home, name), name, packed);
  for (const name of folderNames) yield* toFolder(home, name, packed);
  yield* toOwn(sumsName, { files: packed.files });
  yield tarEnd;
}

async function* toFolder(home: string, folder: string, packed: Packed): AsyncGenerator<Buffer> {
  const found = await readdir(join(home, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    const isWanted = isBackupPath(path) && (entry.isDirectory() || entry.isFile());
    if (!isWanted) packed.left.push(path);
    else if (entry.isDirectory()) yield* toFolder(home, path, packed);
    else yield* toFile(join(home, path), path, packed);
  }
}

/** A file that is gone by now was deleted by somebody who meant it. */
async function* toFile(from: string, name: string, packed: Packed): AsyncGenerator<Buffer> {
  const file = await open(from, 'r').catch((thrown) => refuseUnlessGone(thrown, from));
  if (!file) return;
  try {
    const { size, mtimeMs } = await file.stat();
    const small = size <= smallBytes ? await readFile(file) : undefined;
    const bytes = small?.length ?? size;
    yield toTarHeader({ name, size: bytes, modifiedAt: mtimeMs / 1_000 });
    const hash = createHash('sha256');
    for await (const chunk of small ? [small] : toChunks(file, size)) {
      hash.update(chunk);
      yield chunk;
    }
    yield paddingOf(bytes);
    packed.files.push({ path: name, bytes, sha256: hash.digest('hex') });
  } finally {
    await file.close();
  }
}

/** As many bytes as its header has promised, though it may have grown since. */
async function* toChunks(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  let read = 0;
  const options = { start: 0, end: size - 1, autoClose: false, highWaterMark: chunkBytes };
  for await (const chunk of createReadStream('', { ...options, fd: file })) {
    read += chunk.length;
    yield chunk;
  }
  if (read < size) throw new Error('a file shrank while it was read');
}

function* toOwn(name: string, value: unknown): Generator<Buffer> {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
  yield toTarHeader({ name, size: bytes.length, modifiedAt: 0 });
  yield bytes;
  yield paddingOf(bytes.length);
}

function refuseUnlessGone(cause: unknown, path: string): undefined {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
  const detail = cause instanceof Error ? cause.message : String(cause);
  const message = `The backup failed: ${path} cannot be read (${detail}). Fix that and try again.`;
  throw new ToolyardError('backup_failed', message, { cause });
}
