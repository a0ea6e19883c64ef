import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { passTime, stopTime, withClock } from '../support/clock.ts';
import { reload } from '../support/leaving.ts';
import { hasAnswer, watchDeletes } from '../support/requests.ts';
import { patienceMs, setStage } from '../support/stage.ts';
import { composerOf, readsSoon, say } from '../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const listOf = (page: Page): Locator => page.getByRole('navigation', { name: 'Sessions' });
const rowOf = (page: Page, id: string): Locator => listOf(page).locator(`a[href$="${id}"]`);

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

test('a reload in the seconds of undo keeps both: the session is still hidden, and still brought back, or deleted by whoever does not', async () => {
  const { page, sessionId } = await stage.openSession({ prepare: withClock });
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await remove(page, sessionId, 'hello there');
  await reload(page);
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
  const deletes = watchDeletes(page);
  await passTime(page, 6_500);
  await hasAnswer(page);
  expect(deletes).toEqual([]);
  expect(await isThere(sessionId)).toBe(true);

  await remove(page, sessionId, 'hello there');
  await reload(page);
  await page.getByText('Deleted “hello there”').first().waitFor();
  expect(await isThere(sessionId)).toBe(true);
  await passTime(page, 6_500);
  await expect.poll(() => isThere(sessionId), patience).toBe(false);
  await expect.poll(() => page.getByText('Deleted “hello there”').count(), patience).toBe(0);
  expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
});

test('of a session that is at work it is said that it will be interrupted', async () => {
  const { page, sessionId } = await stage.openSession({
    expected: /404/,
    prepare: withClock,
  });
  await say(page, 'never end');
  await readsSoon(page, /\bw5\b/);
  await rowOf(page, sessionId).getByLabel('Running').waitFor();
  await remove(page, sessionId, 'never end');
  await page.getByText('Unless you undo this, it is interrupted in a moment.').first().waitFor();
  await passTime(page, 6_500);
  await expect.poll(() => isThere(sessionId), patience).toBe(false);
});

/** Newest first, as the list shows them. */
async function make(...titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const title of titles)
    ids.unshift((await stage.server().client.sessions.create({ engine: 'native', title })).id);
  return ids;
}

const areThere = async (ids: string[]) => (await Promise.all(ids.map(isThere))).filter(Boolean).length;

/** Which of these places the other covers at least in part. */
async function covered(by: Locator, places: Locator[]): Promise<number> {
  const over = await by.boundingBox();
  const boxes = await Promise.all(places.map((place) => place.boundingBox()));
  return boxes.filter(
    (box) =>
      !(box && over) ||
      (box.x < over.x + over.width &&
        over.x < box.x + box.width &&
        box.y < over.y + over.height &&
        over.y < box.y + box.height),
  ).length;
}

test('what is deleted while it can be taken back waits together, and one undo brings all of it back', async () => {
  const ids = await make('One', 'Two', 'Three', 'Four', 'Five', 'Six');
  const page = await stage.openWindow({ path: '/inbox', prepare: withClock });
  const rows = listOf(page).getByText(/^(One|Two|Three|Four|Five|Six)$/);
  const undo = page.getByRole('button', { name: 'Undo' });
  await rowOf(page, ids[0] ?? '').focus();
  // However slow the machine is.
  await stopTime(page);
  // Held down, it says so again and again.
  for (let count = 0; count < 4; count++) await page.keyboard.down('Delete');
  await page.keyboard.up('Delete');
  await page.getByText('Deleted “Six”').first().waitFor();
  expect(await rows.count()).toBe(5);

  await passTime(page, 4_000);
  for (let count = 0; count < 4; count++) await page.keyboard.press('Delete');
  await page.getByText('Deleted 5 sessions').first().waitFor();
  await passTime(page, 4_000);
  for (let count = 0; count < 5; count++) await page.keyboard.press('Control+j');
  await page.getByRole('listitem').filter({ hasText: 'Nothing waits for you' }).nth(2).waitFor();
  expect([await undo.count(), await rows.count(), await areThere(ids)]).toEqual([1, 1, 6]);
  await undo.click();
  await expect.poll(() => rows.count(), patience).toBe(6);
  await page.clock.resume();

  // Nothing that is sent or answered is under it, wide or narrow, and what is not taken back goes.
  await rowOf(page, ids[5] ?? '').press('Enter');
  await composerOf(page).waitFor();
  await rowOf(page, ids[0] ?? '').focus();
  await stopTime(page);
  await page.keyboard.press('Delete');
  await page.keyboard.press('Delete');
  await undo.waitFor();
  const toast = page.getByRole('listitem').filter({ has: undo });
  const send = page.getByRole('button', { name: 'Send' });
  expect(await covered(toast, [composerOf(page), send])).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  const menu = page.getByRole('banner').getByRole('button', { name: 'Sessions and screens' });
  await menu.waitFor();
  expect(await covered(toast, [composerOf(page), send, menu])).toBe(0);
  expect(await areThere(ids)).toBe(6);
  await passTime(page, 6_500);
  await page.clock.resume();
  await expect.poll(() => areThere(ids), patience).toBe(4);
  await expect.poll(() => undo.count(), patience).toBe(0);
});

test('the list goes on when its only session goes with its open menu, deleted here or elsewhere', async () => {
  const { client } = stage.server();
  for (const { id } of (await client.sessions.list({ limit: 100 })).items) await client.sessions.delete(id);
  const [only = ''] = await make('The only one');
  const page = await stage.openWindow({ expected: /404/ });
  // At work: of such a one the page hears at once.
  const begin = async (title: string) => {
    const [id = ''] = await make(title);
    await client.sessions.send(id, 'hello there');
    return id;
  };
  const openMenu = async (id: string) => {
    await rowOf(page, id).hover();
    await listOf(page).getByRole('button', { name: 'Session actions' }).click();
  };
  await openMenu(only);
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('No sessions yet').waitFor();
  const next = await begin('The next one');
  await rowOf(page, next).waitFor();
  expect(await rowOf(page, only).count()).toBe(0);

  await openMenu(next);
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  await client.sessions.delete(next);
  await page.getByText('No sessions yet').waitFor();
  await rowOf(page, await begin('The last one')).waitFor();
  expect(await rowOf(page, next).count()).toBe(0);
});
