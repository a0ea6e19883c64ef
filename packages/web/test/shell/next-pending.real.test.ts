// One key to what waits for a person, in a real browser: from the draft to each card, over all sessions, and back.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { passTime, withClock } from '../support/clock.ts';
import { goWithin, reload } from '../support/leaving.ts';
import { patienceMs, setStage } from '../support/stage.ts';
import { answer, approvalOf, composerOf, readsSoon, say } from '../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };

/** How often the page looks for what no log tells. */
const newestIntervalMs = 5_000;

const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return `${element?.getAttribute('aria-label')} ${element?.matches('article') ? element.textContent : ''}`;
  });
const isFocused = (page: Page, words: string) =>
  expect.poll(() => focused(page), patience).toMatch(new RegExp(words, 's'));

test('it goes from the draft to each card, opens the session of one elsewhere, and leads back to the draft', async () => {
  const { client } = stage.server();
  const { id: elsewhere } = await client.sessions.create({ engine: 'native', title: 'Elsewhere' });
  await client.sessions.send(elsewhere, 'pay olga');
  const { page, sessionId } = await stage.openSession();
  await say(page, 'look at both');
  await readsSoon(page, /Looked at it\./);
  await say(page, 'pay paula');
  await approvalOf(page, 'pay', 'paula').waitFor();
  await page.getByRole('link', { name: /^Inbox.*2 waiting for you/ }).waitFor();
  await composerOf(page).fill('half a thought');

  // The browser's own meaning of it, its downloads, is taken away.
  await page.evaluate(() =>
    window.addEventListener('keydown', ({ key, defaultPrevented }) => {
      if (key === 'j') document.body.dataset.taken = String(defaultPrevented);
    }),
  );
  await page.keyboard.press('Control+j');
  await isFocused(page, '^Approval: mcp__desk__pay.*paula');
  expect(await page.locator('body').getAttribute('data-taken')).toBe('true');
  await page.keyboard.press('Escape');
  await isFocused(page, '^Your message');
  // Escape led back, and did not stop the turn.
  expect(await approvalOf(page, 'pay', 'paula').count()).toBe(1);

  await page.keyboard.press('Control+j');
  await isFocused(page, '^Approval: mcp__desk__pay.*paula');
  await page.keyboard.press('Control+j');
  await page.waitForURL(new RegExp(elsewhere));
  await isFocused(page, '^Approval: mcp__desk__pay.*olga');
  await page.keyboard.press('Control+j');
  await page.waitForURL(new RegExp(sessionId));
  await isFocused(page, '^Your message');
  expect(await composerOf(page).inputValue()).toBe('half a thought');

  await goWithin(page, '/tools');
  await page.getByRole('heading', { name: 'Tools' }).waitFor();
  await page.getByRole('link', { name: /^Inbox.*2 waiting for you/ }).waitFor();
  await page.keyboard.press('Control+j');
  await page.waitForURL(new RegExp(elsewhere));
  await isFocused(page, '^Approval: mcp__desk__pay.*olga');
  await answer(approvalOf(page, 'pay', 'olga'), 'Allow once');
  await readsSoon(page, /Paid olga/);
  await page.keyboard.press('Control+j');
  await page.waitForURL(new RegExp(sessionId));
  await isFocused(page, '^Approval: mcp__desk__pay.*paula');
});

test('who waits is at the top though fifty newer ones were begun, and what is renamed or made elsewhere shows', async () => {
  const { client } = stage.server();
  const { id } = await client.sessions.create({ engine: 'native', title: 'The old one' });
  await client.sessions.send(id, 'pay quinn');
  for (let count = 0; count < 51; count++) await client.sessions.create({ engine: 'native', title: 'Newer' });
  const { id: newest } = await client.sessions.create({ engine: 'native', title: 'The newest' });
  const page = await stage.openWindow({
    height: 500,
    path: '/inbox',
    prepare: withClock,
  });
  const list = page.getByRole('navigation', { name: 'Sessions' });
  const waiting = list.getByRole('region', { name: 'Waits for you' });
  const old = waiting.getByRole('link', { name: /^Waiting for you The old one/ });
  await old.focus();

  await client.sessions.change(newest, { title: 'Called otherwise' });
  await client.sessions.create({ engine: 'native', title: 'Made elsewhere' });
  await passTime(page, newestIntervalMs);
  await list.getByText('Called otherwise').waitFor();
  await list.getByText('Made elsewhere').waitFor();
  expect(await list.getByText('The newest').count()).toBe(0);

  // One that works goes up as well, and whoever has the focus on one that moves keeps it.
  await list.getByRole('link', { name: /Called otherwise/ }).focus();
  await client.sessions.send(newest, 'never end');
  await list
    .getByRole('region', { name: 'At work' })
    .getByRole('link', { name: /^Running Called otherwise/ })
    .waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(`/sessions/${newest}`);
  await client.sessions.interrupt(newest);
});

test('the list tells what has finished or failed since one looked, and forgets it once it is opened', async () => {
  const { client } = stage.server();
  const [well, badly] = await Promise.all(
    ['Ends well', 'Ends badly'].map((title) => client.sessions.create({ engine: 'native', title })),
  );
  const page = await stage.openWindow({ path: '/inbox' });
  const list = page.getByRole('navigation', { name: 'Sessions' });
  await list.getByRole('link', { name: /^Idle Ends well/ }).waitFor();
  await client.sessions.send(well?.id ?? '', 'hello there');
  await client.sessions.send(badly?.id ?? '', 'fail');
  await list.getByRole('link', { name: /^Finished since you looked Ends well/ }).waitFor();
  await list.getByRole('link', { name: /^Its last turn failed Ends badly/ }).waitFor();
  await reload(page);
  await list.getByRole('link', { name: /^Finished since you looked Ends well/ }).click();
  await readsSoon(page, /You said: hello there/);
  await list.getByRole('link', { name: /^Idle Ends well/ }).waitFor();
  await list.getByRole('link', { name: /^Its last turn failed Ends badly/ }).click();
  await readsSoon(page, /the key is wrong/);
  await goWithin(page, '/inbox');
  await list.getByRole('link', { name: /^Its last turn failed Ends badly/ }).waitFor();
  await list.getByRole('link', { name: /^Idle Ends well/ }).waitFor();
});
