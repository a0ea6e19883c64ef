// Tests of the real command, each with a home of its own: they wait part of the time, so they may run concurrently.
import { test, vi } from 'vitest';
import { createHome, type TestHome } from './toolyard-process.ts';

/** For each file, at its top: a process that starts computes, and more than two at a time would only be late. */
export function setTwoAtOnce(): void {
  vi.setConfig({ maxConcurrency: 2 });
}

export const homeTest = test.extend<{ yard: TestHome }>({
  // The runner reads from the pattern that it needs no other fixture.
  // biome-ignore lint/correctness/noEmptyPattern: see above
  yard: async ({}, use) => {
    const yard = await createHome();
    await use(yard);
    await yard.end();
  },
});
