// One transaction of the store's own, for what happens before group commit exists: the lease and migrations.
import type { Writer } from './sqlite.ts';

/** Commits what `body` did, or rolls it back and throws. */
export async function inTransaction<T>(
  writer: Writer,
  patienceMs: number,
  body: () => Promise<T>,
): Promise<T> {
  await writer.begin(performance.now() + patienceMs);
  try {
    const value = await body();
    writer.commit();
    return value;
  } catch (thrown) {
    writer.rollback();
    throw thrown;
  }
}
