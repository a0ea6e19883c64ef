// What of a home a backup holds, and which names inside a backup may become files again. The token, logs, traces, notes
// of processes and other backups are no part of it.

export const databaseName = 'toolyard.db';
/** Held while a home is opened or restored; it says nothing by being there. */
export const lockName = 'home.lock';
/** SQLite keeps these beside it while somebody has it open. */
export const databaseNames = [databaseName, `${databaseName}-wal`, `${databaseName}-shm`];
export const fileNames = ['config.yaml'];
export const folderNames = ['outputs', 'roles', 'skills'];

const maxPathLength = 1_000;
/** A name with any of these is another thing on some system, or is not what it looks like. */
const oddCharacter = /[\\\p{Cc}]/u;

/** May an entry of this name be unpacked into a home? */
export function isBackupPath(path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  if (path.length > maxPathLength || oddCharacter.test(path)) return false;
  if (rest.some((part) => part === '' || part === '.' || part === '..')) return false;
  return rest.length === 0
    ? first === databaseName || fileNames.includes(first)
    : folderNames.includes(first);
}
