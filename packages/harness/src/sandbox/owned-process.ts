// Ownership of one started process: its end is seen, its remains are swept, and killing it is verified.
import { type OwnedProcess, pause } from '@toolyard/sdk';
import type { Started } from './process-tree.ts';

const defaultGraceMs = 2_000;

export interface Ownership {
  /** It is gone, with all it started. */
  onExited(): void;
  /** It is gone, and some of what it started is not. */
  onLeftovers(cause: unknown): void;
}

export function ownProcess(
  { launched, tree, toExit }: Started,
  { onExited, onLeftovers }: Ownership,
): OwnedProcess {
  let hasExited = false;
  let asked: Promise<void> | undefined;
  const sweep = async () => {
    await tree.end();
    if (!hasExited) onExited();
    hasExited = true;
  };
  const exited = launched.exit.then(async (raw) => {
    const exit = toExit(raw);
    await sweep().catch(onLeftovers);
    return exit;
  });
  const { pid, stdin, stdout, stderr } = launched;
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    async kill(graceMs = defaultGraceMs) {
      if (hasExited) return;
      // Many programs take a second request as one to hurry.
      asked ??= tree.ask();
      await asked;
      const waiting = new AbortController();
      await Promise.race([exited, pause(graceMs, waiting.signal)]);
      waiting.abort();
      if (!hasExited) await sweep();
      await exited;
    },
  };
}
