// Reads a backup from its first byte to its last and believes nothing in it: names, kinds, lengths and checksums are
// looked at before the whole counts as sound. Writes nothing itself.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { ToolyardError } from '@toolyard/sdk';
import type { z } from 'zod';
import { type ByteReader, createByteReader } from './byte-reader.ts';
import { isBackupPath } from './contents.ts';
import {
  damagedBackup,
  newerFormat,
  notABackup,
  truncatedBackup,
  unreadableBackup,
  unsafeEntry,
} from './errors.ts';
import {
  BackupHead,
  BackupSums,
  type FileSum,
  format,
  headName,
  maxManifestBytes,
  sumsName,
} from './manifest.ts';
import { blockBytes, paddingOf, parsePax, parseTarBlock, type TarEntry } from './tar.ts';

export interface Visit {
  /** Before anything is taken. May throw. */
  onHead?(head: BackupHead): void;
  /** Must take all of `bytes`. */
  onFile(file: TarEntry, bytes: AsyncIterable<Buffer>): Promise<void>;
}

export interface Unpacked {
  head: BackupHead;
  files: FileSum[];
}

const chunkBytes = 256 * 1024;

/** Throws `backup_invalid` or `schema_newer`; what `visit` was given until then may be wrong. */
export async function unpack(path: string, visit: Visit): Promise<Unpacked> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  const stream = createReadStream(path, { highWaterMark: chunkBytes }).on('error', (error) =>
    gunzip.destroy(error),
  );
  try {
    return await readAll(path, createByteReader(stream.pipe(gunzip)), visit);
  } catch (thrown) {
    throw toInvalid(path, thrown);
  } finally {
    stream.destroy();
    gunzip.destroy();
  }
}

async function readAll(path: string, reader: ByteReader, visit: Visit): Promise<Unpacked> {
  const first = await readHeader(path, reader);
  if (first?.name !== headName) throw notABackup(path);
  const head = parseAs(BackupHead, await readOwn(path, reader, first));
  if (!head) throw damagedBackup(path, 'its header cannot be read');
  if (head.format > format) throw newerFormat(path, head.version);
  visit.onHead?.(head);
  const files = new Map<string, FileSum>();
  for (;;) {
    const entry = await readHeader(path, reader);
    if (!entry) throw damagedBackup(path, 'its checksums are missing');
    if (entry.name === sumsName) {
      const sums = parseAs(BackupSums, await readOwn(path, reader, entry));
      compare(path, [...files.values()], sums?.files ?? []);
      await refuseMore(path, reader);
      return { head, files: [...files.values()] };
    }
    if (!isBackupPath(entry.name) || files.has(entry.name)) throw unsafeEntry(path, entry.name);
    files.set(entry.name, await readOne(path, reader, entry, visit));
  }
}

async function readOne(
  path: string,
  reader: ByteReader,
  entry: TarEntry,
  { onFile }: Visit,
): Promise<FileSum> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* hashed() {
    for await (const piece of reader.pieces(entry.size)) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  }
  await onFile(entry, hashed());
  if (bytes < entry.size) throw truncatedBackup(path);
  await readExactly(path, reader, paddingOf(entry.size).length);
  return { path: entry.name, bytes, sha256: hash.digest('hex') };
}

/** Nothing at the end of the archive. */
async function readHeader(path: string, reader: ByteReader): Promise<TarEntry | undefined> {
  const block = parseTarBlock(await readExactly(path, reader, blockBytes));
  if (block.kind === 'end') return undefined;
  if (block.kind === 'wrong')
    throw block.reason === 'type'
      ? unsafeEntry(path, block.name)
      : damagedBackup(path, 'a header is damaged');
  if (block.kind === 'file') return block.entry;
  const records = parsePax(await readOwn(path, reader, block.entry));
  const next = parseTarBlock(await readExactly(path, reader, blockBytes));
  if (!records || next.kind !== 'file') throw damagedBackup(path, 'a header is damaged');
  return { ...next.entry, ...records };
}

async function readOwn(path: string, reader: ByteReader, { size }: TarEntry): Promise<Buffer> {
  if (!(size <= maxManifestBytes)) throw damagedBackup(path, 'its manifest is too long');
  const bytes = await readExactly(path, reader, size);
  await readExactly(path, reader, paddingOf(size).length);
  return bytes;
}

async function readExactly(path: string, reader: ByteReader, count: number): Promise<Buffer> {
  const bytes = await reader.read(count);
  if (bytes.length < count) throw truncatedBackup(path);
  return bytes;
}

function compare(path: string, found: readonly FileSum[], written: readonly FileSum[]): void {
  const known = new Map(written.map((sum) => [sum.path, sum]));
  const wrong = found.find(
    (sum) => known.get(sum.path)?.sha256 !== sum.sha256 || known.get(sum.path)?.bytes !== sum.bytes,
  );
  if (wrong) throw damagedBackup(path, `${wrong.path} does not match its checksum`);
  if (known.size !== found.length) throw damagedBackup(path, 'files are missing');
}

/** To the end, so that the last bytes of the file are checked as well. */
async function refuseMore(path: string, reader: ByteReader): Promise<void> {
  const end = await readExactly(path, reader, 2 * blockBytes);
  if (end.some((byte) => byte !== 0) || (await reader.read(1)).length > 0)
    throw damagedBackup(path, 'there is data after its end');
}

function parseAs<S extends z.ZodType>(schema: S, bytes: Buffer): z.infer<S> | undefined {
  try {
    return schema.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/** What zlib and the file system say of a bad file. */
function toInvalid(path: string, thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof ToolyardError) return thrown;
  const code = 'code' in thrown ? String(thrown.code) : '';
  if (code === 'Z_BUF_ERROR') return truncatedBackup(path);
  if (code === 'EISDIR' || thrown.message === 'incorrect header check') return notABackup(path);
  if (code === 'ENOENT' || code === 'EACCES') return unreadableBackup(path, code, thrown);
  if (code.startsWith('Z_')) return damagedBackup(path, 'it cannot be unpacked');
  return thrown;
}
