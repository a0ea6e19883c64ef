// Every way a backup says no, in one sentence that says what to do.
import { ToolyardError } from '@toolyard/sdk';

export function notABackup(path: string): ToolyardError {
  const how = 'Use a file that `toolyard backup` has written.';
  return new ToolyardError('backup_invalid', `${path} is not a Toolyard backup. ${how}`, {
    data: { reason: 'foreign' },
  });
}

export function unreadableBackup(path: string, code: 'ENOENT' | 'EACCES', cause: unknown): ToolyardError {
  const message =
    code === 'ENOENT'
      ? `There is no file ${path}. Toolyard stores its own backups in the folder backups of its home.`
      : `This user cannot read the backup ${path}. Check its permissions: ls -l ${path}`;
  return new ToolyardError('backup_invalid', message, { data: { reason: 'unreadable' }, cause });
}

export function truncatedBackup(path: string): ToolyardError {
  const how = 'Copy it again, or use another backup.';
  return new ToolyardError('backup_invalid', `The backup ${path} is incomplete: it ends too early. ${how}`, {
    data: { reason: 'torn' },
  });
}

export function damagedBackup(path: string, detail: string): ToolyardError {
  const how = 'Copy it again, or use another backup.';
  return new ToolyardError('backup_invalid', `The backup ${path} is damaged: ${detail}. ${how}`, {
    data: { reason: 'damaged', detail },
  });
}

export function unsafeEntry(path: string, name: string): ToolyardError {
  const shown = JSON.stringify(name.slice(0, 200));
  const message = `The file ${path} contains ${shown}, which no Toolyard backup contains. Do not use it.`;
  return new ToolyardError('backup_invalid', message, {
    data: { reason: 'unsafe', name: name.slice(0, 200) },
  });
}

export function newerFormat(path: string, made: string): ToolyardError {
  const message = `The backup ${path} was made by a newer Toolyard (${made}). Upgrade Toolyard, then restore it.`;
  return new ToolyardError('schema_newer', message, { data: { path } });
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full. Free some space, or choose another path',
  EDQUOT: 'the disk is full. Free some space, or choose another path',
  EACCES: 'this user cannot write there. Choose another path',
  EPERM: 'this user cannot write there. Choose another path',
  EROFS: 'the file system is read-only. Choose another path',
  EEXIST: 'another file is in its place. Move that file',
  ENOENT: 'there is no such directory. Create it, or choose another path',
  ENOTDIR: 'there is no such directory. Create it, or choose another path',
};

/** What the file system said, in words. Errors of our own pass unchanged. */
export function toWriteError(thrown: unknown, path: string): ToolyardError {
  if (thrown instanceof ToolyardError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  const reason = reasons[code] ?? `${detail}. Try again, or choose another path`;
  return new ToolyardError('backup_failed', `${path} could not be written: ${reason}.`, {
    data: { reason: code },
    cause: thrown,
  });
}
