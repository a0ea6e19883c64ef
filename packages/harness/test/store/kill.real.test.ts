// P1 and P2 under kill -9: a real process dies at each step of a commit and at random moments, over and over on the
// same file. What it acknowledged is there, in order, without a gap; at most one batch more.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startChild } from './child-process.ts';
import { readTexts } from './rows.ts';
import { newPath, openTestStore } from './support.ts';

/** The child writes three texts at a time. */
const batch = 3;

/** What lies in the file after a kill, checked against what the dead one had acknowledged on top of `before`. */
async function readAfterKill(path: string, before: string[], acknowledged: string[]): Promise<string[]> {
  const { store } = await openTestStore(path);
  const texts = await store.reads.session('ses_0000000000000000000001').then(() => readTexts(store));
  await store.close();
  const expected = [...before, ...acknowledged];
  expect(texts.slice(0, expected.length)).toEqual(expected);
  expect(texts.length).toBeLessThanOrEqual(expected.length + batch);
  return texts;
}

test('P1, P2: kill -9 at every step of a commit loses nothing that was acknowledged', async () => {
  const path = newPath();
  let texts: string[] = [];
  for (const point of ['commit.begun', 'commit.written', 'commit.durable']) {
    for (const times of ['1', '25']) {
      const child = startChild(path, 'write', point, times);
      await child.gone;
      expect(child.process.signalCode).toBe('SIGKILL');
      const acknowledged = child.lines.slice(1);
      const before = texts.length;
      texts = await readAfterKill(path, texts, acknowledged);
      // Only a kill after the disk has it and before anyone was told leaves more than was acknowledged.
      const more = texts.length - before - acknowledged.length;
      if (point !== 'commit.durable') expect(more).toBe(0);
    }
  }
  expect(texts.length).toBeGreaterThan(3 * 23 * batch);
});

test('P1, P2: kill -9 at random moments loses nothing that was acknowledged', async () => {
  const path = newPath();
  let texts: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    const child = startChild(path, 'write');
    expect(await child.next()).toBe('open');
    await sleep(Math.random() * 60);
    child.process.kill('SIGKILL');
    await child.gone;
    texts = await readAfterKill(path, texts, child.lines.slice(1));
  }
  expect(texts.length).toBeGreaterThan(6 * batch);
});
