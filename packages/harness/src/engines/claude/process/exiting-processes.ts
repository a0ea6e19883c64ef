// Processes that are on their way out, by the CLI's own id of their session. A CLI writes its last words to the
// transcript when it ends; whoever resumes the session must come after them.
import { withTimeout } from '../lib/with-timeout.ts';

/** Longer than a process is given to leave by itself; one that is stuck keeps nobody from going on. */
const exitTimeoutMs = 5_000;

export type ExitingProcesses = ReturnType<typeof createExitingProcesses>;

export function createExitingProcesses() {
  const exiting = new Map<string, Promise<unknown>>();
  return {
    /** `exited` never rejects. */
    add(token: string, exited: Promise<unknown>): void {
      const all = Promise.all([exiting.get(token), exited]).finally(() => {
        if (exiting.get(token) === all) exiting.delete(token);
      });
      exiting.set(token, all);
    },
    async waitForExit(token: string): Promise<void> {
      const last = exiting.get(token);
      if (last) await withTimeout(exitTimeoutMs, last);
    },
  };
}
