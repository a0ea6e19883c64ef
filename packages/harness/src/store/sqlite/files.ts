// The database's files on disk: they exist and are for their owner's eyes only.
import { chmod, open, stat } from 'node:fs/promises';
import { toStoreError } from './sqlite-errors.ts';

/** SQLite gives the files it makes beside the database the same mode. */
export async function prepareFiles(path: string): Promise<void> {
  try {
    const file = await open(path, 'a', 0o600);
    await file.close();
    for (const part of [path, `${path}-wal`, `${path}-shm`]) await closeToOthers(part);
  } catch (thrown) {
    throw toStoreError(thrown, path);
  }
}

async function closeToOthers(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && (found.mode & 0o077) !== 0) await chmod(path, 0o600);
}
