// The homes that yards of this very program hold. The lease in the database keeps other processes out; to it, two yards
// of one process would look like one that was started anew.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';

const held = new Set<string>();

/** Throws `home_in_use` while another yard of this program holds it. Returns how to give it back. */
export function claimHome(home: string): () => void {
  const place = toRealPath(home);
  if (held.has(place)) {
    const hint = 'Use that one, or close it first.';
    throw new ToolyardError('home_in_use', `This program has a yard open in ${home} already. ${hint}`, {
      data: { pid: process.pid, home },
    });
  }
  held.add(place);
  return () => void held.delete(place);
}

/** By whatever name; a home that is still to be made has only one. */
function toRealPath(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return resolve(home);
  }
}
