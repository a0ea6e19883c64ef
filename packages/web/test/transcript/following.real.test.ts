import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { manyParagraphs } from '../support/scenario.ts';
import { patienceMs, setStage } from '../support/stage.ts';
import { readsSoon, say, transcriptOf } from '../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };

/** How much there is below the view, once it is painted. */
const below = (page: Page) =>
  transcriptOf(page).evaluate(async (box) => {
    await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    return box.scrollHeight - box.scrollTop - box.clientHeight;
  });
const jumpOf = (page: Page) => page.getByRole('button', { name: /^Jump to latest/ });

/** A long answer under way, with messages that wait for it to end. */
async function openWithQueue(): Promise<Page> {
  const { page } = await stage.goToSession();
  await say(page, 'endless paragraphs');
  await readsSoon(page, /Paragraph 1 of/);
  for (const words of ['first in the queue', 'second in the queue', 'third in the queue'])
    await say(page, words);
  await readsSoon(page, /third in the queue/);
  return page;
}

test('the view follows a long answer that grows above messages in the queue', async () => {
  const page = await openWithQueue();
  const seen: number[] = [];
  const height = () => transcriptOf(page).evaluate((box) => box.scrollHeight);
  for (let look = 0; look < 6; look++) {
    const before = await height();
    await expect.poll(height, patience).toBeGreaterThan(before);
    seen.push(await below(page));
  }
  expect(seen.filter((pixels) => pixels > 4)).toEqual([]);
  expect(await jumpOf(page).count()).toBe(0);
  await page.getByRole('button', { name: 'Stop' }).click();
  await readsSoon(page, /You said: third in the queue/);
  await expect.poll(() => below(page), patience).toBeLessThanOrEqual(4);
});

test('a reader who goes up by a little is left alone, is shown the way back, and follows again after it', async () => {
  const page = await openWithQueue();
  await transcriptOf(page).hover();
  await page.mouse.wheel(0, -30);
  await jumpOf(page).waitFor();
  const top = await transcriptOf(page).evaluate((box) => box.scrollTop);
  const before = await below(page);
  await expect.poll(() => below(page), patience).toBeGreaterThan(before + 200);
  expect(await transcriptOf(page).evaluate((box) => box.scrollTop)).toBe(top);
  await jumpOf(page).click();
  await expect.poll(() => below(page), patience).toBeLessThanOrEqual(4);
  await page.getByRole('button', { name: 'Stop' }).click();
  await readsSoon(page, /You said: third in the queue/);
  await expect.poll(() => below(page), patience).toBeLessThanOrEqual(4);
  expect(await jumpOf(page).count()).toBe(0);
});

test('the view stays at the end when the field below it grows', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'many paragraphs');
  await readsSoon(page, new RegExp(`Paragraph ${manyParagraphs} of`));
  await page.getByRole('textbox', { name: 'Your message' }).fill('line\n'.repeat(8));
  await expect.poll(() => below(page), patience).toBeLessThanOrEqual(4);
  expect(await jumpOf(page).count()).toBe(0);
});
