import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { patienceMs, setStage } from './support/stage.ts';
import { composerOf, readsSoon, say } from './support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const listOf = (page: Page): Locator => page.getByRole('navigation', { name: 'Sessions' });

async function choose(page: Page, title: string, action: string): Promise<void> {
  const row = listOf(page).getByRole('listitem').filter({ hasText: title });
  await row.hover();
  await row.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('a session is renamed, forked, deleted and brought back', async () => {
  const { page, sessionId } = await stage.openSession();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await choose(page, 'hello there', 'Rename');
  await page.getByRole('dialog').getByRole('textbox').fill('Greetings');
  await page.keyboard.press('Enter');
  await listOf(page).getByText('Greetings').waitFor();

  await choose(page, 'Greetings', 'Fork');
  await expect.poll(() => page.url(), patience).not.toContain(sessionId);
  await readsSoon(page, /You said: hello there/);
  const forkId = page.url().split('/').at(-1) ?? '';
  const { forkedFrom } = await stage.server().client.sessions.get(forkId);
  expect(forkedFrom?.sessionId).toBe(sessionId);

  await page.goto(`${stage.server().url}/sessions/${sessionId}`);
  await readsSoon(page, /You said: hello there/);
  const titles = () => listOf(page).getByRole('link').count();
  await expect.poll(titles, patience).toBe(2);
  await listOf(page).locator(`a[href$="${sessionId}"]`).focus();
  await page.keyboard.press('Delete');
  await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
  await expect.poll(titles, patience).toBe(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(titles, patience).toBe(2);
  await readsSoon(page, /You said: hello there/);
});

test('an image goes along with the words', async () => {
  const { page } = await stage.openSession();
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
  await composerOf(page).fill('what is in this picture');
  await page.getByRole('button', { name: 'Send' }).click();
  await readsSoon(page, /I see \[image, .+ png\]/);
  await page.getByRole('main').getByRole('img').first().waitFor();
});

test('what was written before comes back with the arrow keys, and the mode is switched while it works', async () => {
  const { page, sessionId } = await stage.openSession();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await composerOf(page).press('ArrowUp');
  expect(await composerOf(page).inputValue()).toBe('hello there');
  await composerOf(page).fill('never end');
  await composerOf(page).press('Enter');
  await readsSoon(page, /\bw3\b/);
  await page.getByRole('combobox', { name: 'Permission mode' }).click();
  await page.getByRole('option', { name: /^Plan/ }).click();
  const mode = async () => (await stage.server().client.sessions.get(sessionId)).mode;
  await expect.poll(mode, patience).toBe('plan');
  await page.getByRole('button', { name: 'Stop' }).click();
  await readsSoon(page, /Interrupted/);
});
