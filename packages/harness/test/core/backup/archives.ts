// Backups for tests: real ones of small homes, and ones that no Toolyard would write.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { format, headName, sumsName } from '../../../src/core/backup/manifest.ts';
import { paddingOf, tarEnd, toTarHeader } from '../../../src/core/backup/tar.ts';
import { unpack } from '../../../src/core/backup/unpack.ts';

export const head = {
  product: 'Toolyard' as const,
  format,
  version: '1.2.3',
  schema: 1,
  createdAt: '2026-11-15T12:00:00.000Z',
};

/** Writes files below a folder, with the folders they need. */
export async function writeFiles(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** An archive's files, as unpacking gives them. */
export async function readBackup(path: string) {
  const contents: Record<string, string> = {};
  const unpacked = await unpack(path, {
    async onFile({ name }, bytes) {
      const parts: Buffer[] = [];
      for await (const piece of bytes) parts.push(piece);
      contents[name] = Buffer.concat(parts).toString('latin1');
    },
  });
  return { ...unpacked, contents };
}

export function toEntry(name: string, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([
    toTarHeader({ name, size: bytes.length, modifiedAt: 0 }),
    bytes,
    paddingOf(bytes.length),
  ]);
}

/** An entry of another kind: `2` is a symbolic link, `1` a hard one, `5` a folder. */
export function toOddEntry(name: string, type: string, target = ''): Buffer {
  const block = toTarHeader({ name, size: 0, modifiedAt: 0 });
  block.write(type, 156);
  block.write(target, 157);
  block.write('        ', 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** An archive of these entries, with sums that fit whatever `files` says. */
export function toArchive(
  entries: readonly Buffer[],
  files: Record<string, string | Buffer> = {},
  change: { head?: object; sums?: Buffer; end?: Buffer } = {},
): Buffer {
  const sums = Object.entries(files).map(([path, content]) => ({
    path,
    bytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  return gzipSync(
    Buffer.concat([
      toEntry(headName, JSON.stringify({ ...head, ...change.head })),
      ...entries,
      change.sums ?? toEntry(sumsName, JSON.stringify({ files: sums })),
      change.end ?? tarEnd,
    ]),
  );
}
