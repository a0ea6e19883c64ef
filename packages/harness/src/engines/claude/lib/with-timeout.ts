// Waiting for a program that may be stuck.
import { pause } from '@toolyard/sdk';

/** What `work` comes to, or nothing when it takes longer; the work itself is then left behind. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  try {
    return (await Promise.race([work, pause(ms, over.signal)])) ?? undefined;
  } finally {
    over.abort();
  }
}
