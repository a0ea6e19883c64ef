// What becomes of owners when one database takes the place of another: none of those before may write to either.
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ToolyardError } from '@toolyard/sdk';
import type { Clock } from '../../core/lib/ports.ts';
import { checkDatabase } from '../check.ts';
import { acquireLease, type Owner, readOwner } from '../lease.ts';
import { migrations } from '../migrations/list.ts';
import { defaultBusyTimeoutMs, inTransaction, openWriter, type Writer } from '../sqlite/sqlite.ts';
import { isCorrupt } from '../sqlite/sqlite-errors.ts';

const busyTimeoutMs = defaultBusyTimeoutMs;

interface Fencing {
  pid: number;
  host: string;
  clock: Clock;
}

/**
 * Takes a database from an owner that sleeps, so that it cannot write when it wakes, and gives it free. Throws
 * `home_in_use` for one that is awake. Gives the epoch reached; 0 where there is none, or none that can be read: such a
 * file is not touched.
 */
export async function fenceDatabase(path: string, { clock, ...who }: Fencing): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (!found || found.size === 0) return 0;
  const owner: Owner = { ...who, instance: randomUUID() };
  try {
    await checkDatabase(path, { busyTimeoutMs, migrations, claim: { owner, clock } });
  } catch (thrown) {
    if (isCorrupt(thrown)) return 0;
    // The lease is the same for every schema.
    if (!(thrown instanceof ToolyardError && thrown.code === 'schema_newer')) throw thrown;
  }
  return withWriter(path, async (writer) => {
    const lease = await acquireLease(writer, { owner, clock, busyTimeoutMs, onLost: () => {} });
    return inTransaction(writer, busyTimeoutMs, async () => {
      await lease.release();
      return (await readOwner(writer.db))?.epoch ?? 0;
    });
  });
}

/**
 * Makes a database out of a backup ready for its next owner. When its last one was alive stays known: the time since
 * counts as a pause. A call that was allowed and not yet started may have run after the backup was made, so it counts
 * as started: its outcome is unknown, and it is not run again.
 */
export async function renewDatabase(path: string, minEpoch: number): Promise<void> {
  await withWriter(path, (writer) =>
    inTransaction(writer, busyTimeoutMs, async () => {
      const last = await readOwner(writer.db);
      const epoch = Math.max(last?.epoch ?? 0, minEpoch) + 1;
      await writer.db.updateTable('owner').set({ epoch, held: 0 }).execute();
      await writer.db
        .updateTable('tool_calls')
        .set(({ ref }) => ({ state: 'started', started_at: ref('asked_at') }))
        .where('state', '=', 'allowed')
        .execute();
    }),
  );
}

/** Closing it moves the write-ahead log into the file, where nobody else has it open. */
async function withWriter<T>(path: string, work: (writer: Writer) => Promise<T>): Promise<T> {
  const writer = await openWriter(path, { busyTimeoutMs });
  try {
    return await work(writer);
  } finally {
    writer.close();
  }
}
