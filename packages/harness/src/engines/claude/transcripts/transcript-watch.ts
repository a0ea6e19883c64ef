// Hears of changes below the transcripts' folder, so that a list need not look at thousands of files. May miss some:
// whoever listens also looks for itself from time to time.
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { listFolders, type Problem } from './transcript-folders.ts';

/** Says whether everything there is is watched. */
export async function watchFolders(
  projects: string,
  onChange: (place: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const watchers = new Map<string, FSWatcher>();
  const end = (path: string) => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  signal.addEventListener('abort', () => [...watchers.keys()].forEach(end), { once: true });

  function add(path: string, onName: (name: string | null) => void): boolean {
    if (watchers.has(path) || signal.aborted) return true;
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => onName(name));
      watchers.set(path, watcher);
      watcher.on('error', () => end(path));
      return true;
    } catch {
      // Gone again, or too many: looking from time to time has to do.
      return false;
    }
  }

  const addFolder = (folder: string) =>
    add(folder, (name) => onChange(name === null ? folder : join(folder, name)));
  const isRootWatched = add(projects, (name) => {
    if (name === null) return;
    const folder = join(projects, name);
    // Removed or made: a watch on what is gone would keep a new one of its name from being watched.
    end(folder);
    addFolder(folder);
    onChange(folder);
  });
  const problems: Problem[] = [];
  const folders = isRootWatched ? await listFolders(projects, problems) : [];
  const isEachWatched = folders.map(addFolder).every(Boolean);
  return isRootWatched && isEachWatched && problems.length === 0;
}
