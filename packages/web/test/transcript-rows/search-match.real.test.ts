import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { goWithin, reload } from '../support/leaving.ts';
import { writeLongSession } from '../support/long-session.ts';
import { patienceMs, setStage } from '../support/stage.ts';
import { readsSoon, say, toolCardOf, transcriptOf } from '../support/talk.ts';

let longId = '';
const stage = setStage({
  fill: async (home) => {
    longId = await writeLongSession(home, 2_000);
  },
});
const patience = { timeout: patienceMs };
const foundOf = (page: Page) => transcriptOf(page).locator('[data-found]');

/** The words that are marked, and whether the first of them is in view. */
function readMarks(page: Page) {
  return page.evaluate(() => {
    const [first, ...rest] = [...(CSS.highlights.get('found') ?? [])] as Range[];
    const box = document.querySelector('section[aria-label=Conversation]')?.getBoundingClientRect();
    const at = first?.getBoundingClientRect();
    const isInView = box !== undefined && at !== undefined && at.top >= box.top && at.bottom <= box.bottom;
    return { words: [first, ...rest].map((range) => String(range)), isInView };
  });
}

async function search(page: Page, words: string): Promise<void> {
  const filter = page.getByRole('textbox', { name: 'Filter sessions' });
  const said = page.getByRole('region', { name: 'Said in sessions' });
  // None of what was found before.
  await filter.fill('');
  await said.waitFor({ state: 'detached' });
  await filter.fill(words);
  await said.getByRole('link').first().click();
}

test('a session far down the list is found by its title, in the palette and in the side, and no more is read', async () => {
  const { sessions } = stage.server().client;
  const { id } = await sessions.create({ engine: 'native', title: 'Kubernetes migration' });
  for (let at = 1; at <= 55; at += 1) await sessions.create({ engine: 'native', title: `Newer ${at}` });
  const page = await stage.goTo('/');
  const pages: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).searchParams.has('after')) pages.push(request.url());
  });
  const side = page.getByRole('navigation', { name: 'Sessions' });
  await side.getByText('Newer 55').waitFor();
  await page.getByRole('textbox', { name: 'Filter sessions' }).fill('kubernetes');
  await side.getByRole('link', { name: /Kubernetes migration/ }).waitFor();
  expect(await side.getByRole('link').count()).toBe(1);
  await page.getByRole('textbox', { name: 'Filter sessions' }).fill('');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Find/ }).fill('kubernetes');
  await page.getByRole('option', { name: /Kubernetes migration/ }).click();
  await page.waitForURL(new RegExp(id));
  expect(pages).toEqual([]);
});

test('what was found far up in a long session is shown and marked, and stays so after a reload', async () => {
  const page = await stage.goTo('/');
  await search(page, 'what about step 17');
  await foundOf(page).getByText('What about step 17?').waitFor();
  await expect
    .poll(() => readMarks(page), patience)
    .toEqual({ words: ['What', 'about', 'step', '17'], isInView: true });
  expect(new URL(page.url()).pathname).toBe(`/sessions/${longId}`);
  await page.getByRole('button', { name: /^Jump to latest/ }).waitFor();
  await reload(page);
  await foundOf(page).getByText('What about step 17?').waitFor();

  // The same hit again, from elsewhere in the session.
  await page.getByRole('button', { name: /^Jump to latest/ }).click();
  await readsSoon(page, /What about step 99\?/);
  await search(page, 'what about step 17');
  await expect.poll(async () => (await readMarks(page)).isInView, patience).toBe(true);
});

test('words in the middle of a long answer are found where they stand, from the palette', async () => {
  const { page, sessionId } = await stage.goToSession();
  await say(page, 'many paragraphs');
  await readsSoon(page, /Paragraph 400 of/);
  await goWithin(page, '/');
  await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Find/ }).fill('paragraph 261');
  await page.getByRole('option', { name: /many paragraphs/ }).click();
  await foundOf(page).getByText('Paragraph 261 of').waitFor();
  await expect.poll(async () => (await readMarks(page)).words, patience).toContain('261');
  expect(page.url()).toContain(sessionId);
});

test('a call that was found is opened, so that its input shows', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'look at both');
  await readsSoon(page, /Looked at it\./);
  await search(page, 'coffee');
  await foundOf(page).waitFor();
  const [tea, coffee] = [toolCardOf(page, 'look, done').nth(0), toolCardOf(page, 'look, done').nth(1)];
  await coffee.getByText('the coffee').waitFor();
  expect(await tea.getByText('the tea').count()).toBe(0);
});
