// Wrappers of the engine's first process, by which a test does harm at a chosen moment; and a watch for what would have
// brought the server down.
import type { OwnedProcess } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import type { WrapProcess } from './hot-world.ts';

/** Whatever is rejected or thrown with nobody to hear it would end the server. */
export function watchStrays(): unknown[] {
  const strays: unknown[] = [];
  const keep = (stray: unknown) => void strays.push(stray);
  process.on('unhandledRejection', keep).on('uncaughtException', keep);
  onTestFinished(() => {
    process.off('unhandledRejection', keep).off('uncaughtException', keep);
  });
  return strays;
}

/** Does something to the first process only. */
export function first(change: (owned: OwnedProcess) => OwnedProcess | Promise<OwnedProcess>): WrapProcess {
  return (owned, nth) => (nth === 0 ? change(owned) : owned);
}

/** Calls `act` before the first line that holds `text` goes to the CLI. */
export function onWrite(text: string, act: (owned: OwnedProcess) => Promise<unknown>): WrapProcess {
  return first((owned) => {
    let isDone = false;
    const write = async (chunk: Uint8Array | string) => {
      if (!isDone && Buffer.from(chunk).includes(text)) {
        isDone = true;
        await act(owned);
      }
      return owned.stdin.write(chunk);
    };
    return { ...owned, stdin: { ...owned.stdin, write } };
  });
}

/** Calls `act` once the CLI has said `text`, after or before it is heard. */
export function onRead(
  text: string,
  act: (owned: OwnedProcess) => Promise<unknown>,
  when: 'before' | 'after',
): WrapProcess {
  return first((owned) => {
    async function* read() {
      let isDone = false;
      for await (const chunk of owned.stdout) {
        const isIt: boolean = !isDone && Buffer.from(chunk).includes(text);
        isDone ||= isIt;
        if (isIt && when === 'before') await act(owned);
        yield chunk;
        if (isIt && when === 'after') await act(owned);
      }
    }
    return { ...owned, stdout: read() };
  });
}
