// Keeps a restore and the start of a server apart. A server holds its share while it opens the home; who restores has it
// alone. Who then owns the home, the lease says.
import { join } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';
import { lockName } from '../../core/backup/contents.ts';
import { defaultBusyTimeoutMs, lockFile } from '../sqlite/sqlite.ts';
import { isBusy } from '../sqlite/sqlite-errors.ts';

/** Throws `home_in_use`. */
export async function lockHome(
  home: string,
  kind: 'shared' | 'exclusive',
  busyTimeoutMs = defaultBusyTimeoutMs,
): Promise<{ release(): void }> {
  try {
    return await lockFile(join(home, lockName), kind, busyTimeoutMs);
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    const who = kind === 'shared' ? 'A backup is being restored into' : 'A server is starting in';
    throw new ToolyardError('home_in_use', `${who} the home ${home}. Try again when that is done.`, {
      cause: thrown,
    });
  }
}
