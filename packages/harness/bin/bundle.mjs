// Of a clone: finds the bundle that scripts/bundle.mjs has made of the sources, if it was made of them as they are now.
// One changed file, and the sources themselves run. What is imported here must be known to a Node that is too old for
// the rest.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
export const cache = join(root, 'packages/harness/.cache');
/** Names the bundle and all that it was made of. */
export const listFile = join(cache, 'bundle.json');

/** Changes with a file's content; nothing when there is no such file. */
export function toState(path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  return stats && `${stats.mtimeMs} ${stats.size}`;
}

/** Where to import it from, or nothing. */
export function findBundle() {
  try {
    const { main, sources } = JSON.parse(readFileSync(listFile, 'utf8'));
    const path = join(cache, main);
    const isFresh = sources.every(([source, state]) => toState(source) === state) && statSync(path).isFile();
    return isFresh ? pathToFileURL(path).href : undefined;
  } catch {
    return undefined;
  }
}
