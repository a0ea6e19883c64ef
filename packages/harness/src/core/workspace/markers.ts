// What marks a folder as a workspace, and whose word it is. Anybody who can write above a folder could put a marker
// there, so one counts only if it is the person's own: not another user's, and not a link. Looks at names; opens nothing.
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What a workspace says of itself, and what marks one. */
export const rulesFile = 'toolyard.yaml';

/** Is a file in this folder, with this owner, the person's own? */
export type IsOwn = (uid: number, folder: string) => boolean;

/**
 * By the user that the server runs as. Root often works in a folder of somebody else, as in a container: there, what this
 * user has in folders of their own is the person's, too.
 */
export function createIsOwn(directory: string, uid: number | undefined = process.geteuid?.()): IsOwn {
  // Without users there are no others.
  if (uid === undefined) return () => true;
  const guest = uid === 0 ? lookAt(directory)?.uid : undefined;
  return (owner, folder) => owner === uid || (owner === guest && lookAt(folder)?.uid === guest);
}

export interface Marked {
  isMarked: boolean;
  /** Sentences on markers that do not count. */
  ignored: string[];
}

export function inspectMarkers(folder: string, isOwn: IsOwn): Marked {
  const ignored: string[] = [];
  for (const name of [rulesFile, '.git']) {
    const path = join(folder, name);
    const stats = lookAt(path);
    if (!stats) continue;
    if (stats.isSymbolicLink()) ignored.push(`${path} is a link and is ignored.`);
    else if (!isMarker(path, name, stats)) continue;
    else if (!isOwn(stats.uid, folder)) ignored.push(formatForeign(path, stats.uid));
    else return { isMarked: true, ignored: [] };
  }
  return { isMarked: false, ignored };
}

/** A sandbox mounts empty folders over names that must not be made, so a folder alone is neither. */
function isMarker(path: string, name: string, stats: Stats): boolean {
  if (stats.isFile()) return true;
  return name === '.git' && stats.isDirectory() && lookAt(join(path, 'HEAD')) !== undefined;
}

export function formatForeign(path: string, uid: number): string {
  return `${path} belongs to another user (uid ${uid}) and is ignored.`;
}

/** What cannot be looked at is not there for us. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
