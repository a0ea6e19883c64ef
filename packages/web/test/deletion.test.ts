import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { patienceMs, setStage } from './support/stage.ts';
import { readsSoon, say } from './support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const rowOf = (page: Page, id: string): Locator =>
  page.getByRole('navigation', { name: 'Sessions' }).locator(`a[href$="${id}"]`);

async function remove(page: Page, id: string, title: string): Promise<void> {
  await rowOf(page, id).getByText(title).waitFor();
  await rowOf(page, id).focus();
  await page.keyboard.press('Delete');
  await page
    .getByText(/^Deleted “/)
    .first()
    .waitFor();
}

const isThere = async (id: string) =>
  stage
    .server()
    .client.sessions.get(id)
    .then(
      () => true,
      () => false,
    );

test('a reload in the seconds of undo keeps both: the session is still hidden, and still brought back', async () => {
  const { page, sessionId } = await stage.openSession();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await remove(page, sessionId, 'hello there');
  await page.reload();
  await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
  await page.getByText('Deleted “hello there”').first().waitFor();
  expect(await isThere(sessionId)).toBe(true);
  await page
    .getByRole('navigation', { name: 'Sessions' })
    .or(page.getByText('No sessions yet'))
    .first()
    .waitFor();
  expect(await rowOf(page, sessionId).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await readsSoon(page, /You said: hello there/);
  await rowOf(page, sessionId).waitFor();
  // Past the time in which it would have gone.
  await page.waitForTimeout(6_500);
  expect(await isThere(sessionId)).toBe(true);
});

test('who does not take it back has it deleted, also after a reload', async () => {
  const { page, sessionId } = await stage.openSession();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await remove(page, sessionId, 'hello there');
  await page.reload();
  await page.getByText('Deleted “hello there”').first().waitFor();
  await expect.poll(() => isThere(sessionId), patience).toBe(false);
  await expect.poll(() => page.getByText('Deleted “hello there”').count(), patience).toBe(0);
  expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
});

test('of a session that is at work it is said that it will be interrupted', async () => {
  const { page, sessionId } = await stage.openSession({ expected: /404/ });
  await say(page, 'never end');
  await readsSoon(page, /\bw5\b/);
  await rowOf(page, sessionId).getByLabel('Running').waitFor();
  await remove(page, sessionId, 'never end');
  await page.getByText('Unless you undo this, it is interrupted in a moment.').first().waitFor();
  await expect.poll(() => isThere(sessionId), patience).toBe(false);
});
