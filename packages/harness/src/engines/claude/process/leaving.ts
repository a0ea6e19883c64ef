// Processes that are on their way out, by the CLI's own id of their session. A CLI writes its last words to the
// transcript when it ends; whoever resumes the session must come after them.
import { within } from '../lib/within.ts';

/** Longer than a process is given to leave by itself; one that is stuck keeps nobody from going on. */
const leftWithinMs = 5_000;

export type Leaving = ReturnType<typeof createLeaving>;

export function createLeaving() {
  const leaving = new Map<string, Promise<unknown>>();
  return {
    /** `left` never rejects. */
    add(token: string, left: Promise<unknown>): void {
      const all = Promise.all([leaving.get(token), left]).finally(() => {
        if (leaving.get(token) === all) leaving.delete(token);
      });
      leaving.set(token, all);
    },
    async left(token: string): Promise<void> {
      const last = leaving.get(token);
      if (last) await within(leftWithinMs, last);
    },
  };
}
