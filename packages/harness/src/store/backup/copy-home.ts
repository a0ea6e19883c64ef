// The work of a backup, run in a thread: a snapshot of the database, looked at; everything in one file, looked at again;
// and only then its name.
import { link, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';
import type { BackupJob, WrittenBackup } from '../../core/backup/backups.ts';
import { databaseName } from '../../core/backup/contents.ts';
import { damagedBackup, toWriteError } from '../../core/backup/errors.ts';
import { type FileSum, format } from '../../core/backup/manifest.ts';
import { pack } from '../../core/backup/pack.ts';
import { unpack } from '../../core/backup/unpack.ts';
import { checkCopy } from '../check.ts';
import { copyDatabase } from '../sqlite/sqlite.ts';
import { corruptError, isCorrupt } from '../sqlite/sqlite-errors.ts';

export const moduleUrl = import.meta.url;

/** Where the database is copied to, and what the backup is called until it is whole. Removing both is the caller's duty. */
export type CopyJob = BackupJob & { copy: string; part: string };

export async function copyHome(job: CopyJob): Promise<WrittenBackup> {
  const { home, target, copy, part, version, createdAt } = job;
  try {
    await copyDatabase(join(home, databaseName), copy);
    const schema = await readSchema(join(home, databaseName), copy);
    const head = { product: 'Toolyard' as const, format, version, schema, createdAt };
    const packed = await pack({ home, database: copy, target: part, head });
    await verify(part, packed.files);
    const { size: bytes } = await stat(part);
    await giveName(part, target);
    return { ...packed, bytes, schema };
  } catch (thrown) {
    throw toWriteError(thrown, target);
  }
}

/** The number of the copy's schema. Damage in the copy is damage in what it is a copy of. */
async function readSchema(database: string, copy: string): Promise<number> {
  return checkCopy(copy).catch((thrown) => {
    throw isCorrupt(thrown) ? corruptError(database, String(thrown.data?.detail)) : thrown;
  });
}

/** What the disk gives back is what was packed. */
async function verify(path: string, packed: readonly FileSum[]): Promise<void> {
  const { files } = await unpack(path, {
    async onFile(_, bytes) {
      for await (const _piece of bytes);
    },
  });
  if (JSON.stringify(files) !== JSON.stringify(packed))
    throw damagedBackup(path, 'it does not match what was written');
}

/** Takes nobody else's name away. */
async function giveName(part: string, target: string): Promise<void> {
  try {
    await link(part, target);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')
      throw new ToolyardError('backup_failed', `The file ${target} already exists. Choose another path.`);
    // Not every file system has a second name for a file.
    await rename(part, target);
  }
}
