import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeLongSession } from './support/long-session.ts';
import { setStage } from './support/stage.ts';
import { readsSoon, transcriptOf } from './support/talk.ts';

const events = 10_000;
let sessionId = '';
const stage = setStage({
  fill: async (home) => {
    sessionId = await writeLongSession(home, events);
  },
});

// The promise is 1 s and 50 frames a second on a quiet machine; what is asserted leaves room for a busy one.
const opensWithinMs = 8_000;
const fewestFrames = 20;

test('a session of 10,000 events opens at its end at once, and scrolls smoothly', async () => {
  const page = await stage.openWindow();
  await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link').first().waitFor();
  const openedMs = await measureOpening(page);
  await readsSoon(page, /What about step 499\?/);
  const { frames, worstMs } = await measureScrolling(page);
  process.stderr.write(
    `opened in ${openedMs.toFixed(0)} ms; ${frames.toFixed(1)} frames/s, worst ${worstMs.toFixed(0)} ms\n`,
  );
  expect(openedMs).toBeLessThan(opensWithinMs);
  expect(frames).toBeGreaterThan(fewestFrames);
  expect(await transcriptOf(page).locator('[data-index]').count()).toBeLessThan(100);
});

test('it opens at once by its address, too, and the way to its beginning is there', async () => {
  const page = await stage.openWindow({ path: `/sessions/${sessionId}` });
  await readsSoon(page, /What about step 499\?/);
  await transcriptOf(page).focus();
  await page.keyboard.press('Home');
  await readsSoon(page, /What about step 0\?/);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await readsSoon(page, /What about step 499\?/);
});

/** From the press on the session to the frame that shows its last words. */
function measureOpening(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const link = document.querySelector<HTMLElement>('nav[aria-label=Sessions] a');
    const startedAt = performance.now();
    link?.click();
    const isThere = () =>
      document.querySelector('section[aria-label=Conversation]')?.textContent?.includes('step499');
    while (!isThere()) await new Promise(requestAnimationFrame);
    // The next frame begins when this one has been painted.
    await new Promise(requestAnimationFrame);
    return performance.now() - startedAt;
  });
}

/** Scrolls up for two seconds, a little each frame. */
function measureScrolling(page: Page): Promise<{ frames: number; worstMs: number }> {
  return page.evaluate(async () => {
    const box = document.querySelector('section[aria-label=Conversation]');
    const startedAt = performance.now();
    let frames = 0;
    let worstMs = 0;
    for (let before = startedAt; before - startedAt < 2_000; ) {
      box?.scrollBy(0, -40);
      const now = await new Promise<number>(requestAnimationFrame);
      worstMs = Math.max(worstMs, now - before);
      before = now;
      frames++;
    }
    return { frames: (frames * 1_000) / (performance.now() - startedAt), worstMs };
  });
}
