// Which worktrees this home has made: a record each, in the home, where no agent can write. A home that was copied or
// restored elsewhere is another one, and leaves the worktrees of the first alone.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

interface Recorded {
  home: string;
  worktree: { path: string };
}

function recordOf({ home, worktree }: Recorded): string {
  return join(home, 'worktrees', basename(worktree.path));
}

export async function recordOwner(place: Recorded): Promise<void> {
  await mkdir(dirname(recordOf(place)), { recursive: true, mode: 0o700 });
  await writeFile(recordOf(place), `${place.home}\n`, { mode: 0o600 });
}

/** The home that made it. Nothing is recorded of what another home, or a version before this one, made. */
export async function readOwner(place: Recorded): Promise<string | undefined> {
  const text = await readFile(recordOf(place), 'utf8').catch(() => undefined);
  return text?.trim();
}

export async function removeRecord(place: Recorded): Promise<void> {
  await rm(recordOf(place), { force: true });
}
