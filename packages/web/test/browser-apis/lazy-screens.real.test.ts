import { expect, test } from 'vitest';
import { tryAgain, withClock } from '../support/clock.ts';
import { patienceMs, serverAway, setStage } from '../support/stage.ts';
import { readsSoon } from '../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const later = new RegExp(`${serverAway.source}|ERR_FAILED|NotLoaded`);

test('what is not needed at first is there when the server is not', async () => {
  const underWay = new Set<string>();
  const loaded = new Set<string>();
  const page = await stage.openWindow({
    expected: later,
    prepare: async (page) => {
      page.on('request', (request) => underWay.add(request.url()));
      page.on('requestfinished', (request) => {
        underWay.delete(request.url());
        loaded.add(request.url());
      });
    },
  });
  await page.getByText(/^Connected/).waitFor();
  // The last of them, with all that it needs.
  const isFile = (url: string) => url.includes('/assets/');
  await expect.poll(() => [...loaded].some((url) => url.includes('/settings-screen-')), patience).toBe(true);
  await expect.poll(() => [...underWay].filter(isFile), patience).toEqual([]);
  await stage.server().kill();
  await page.getByText('Reconnecting…').first().waitFor();
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.getByRole('button', { name: /^Find/ }).click();
  await page.getByRole('dialog').waitFor();
  await stage.server().start();
});

test('a screen that is long in coming says so, and one that cannot be loaded has a way on', async () => {
  const isAway = new Set(['tools', 'settings']);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const page = await stage.openWindow({
    expected: later,
    prepare: async (page) => {
      await withClock(page);
      await page.route(/\/assets\/conversation-screen-/, (route) => released.then(() => route.continue()));
      await page.route(/\/assets\/(tools|settings)-screen-/, (route) => {
        const [, name = ''] = /(\w+)-screen/.exec(route.request().url()) ?? [];
        return isAway.has(name) ? route.abort('connectionrefused') : route.continue();
      });
    },
  });
  const start = page.getByRole('textbox', { name: 'Message' });
  await start.fill('hello there');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('main').getByText('Loading the screen').waitFor();
  expect(await start.count()).toBe(0);
  release();
  await readsSoon(page, /You said: hello there/);

  // The server answers, and yet it does not come: a newer one has other parts.
  await page.getByRole('link', { name: 'Tools' }).first().click();
  await page.getByRole('heading', { name: 'This screen could not be loaded' }).waitFor();
  isAway.delete('tools');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Tools' }).waitFor();

  await stage.server().kill();
  await page.getByText('Reconnecting…').first().waitFor();
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await page.getByRole('main').getByText('This screen comes when the server is back').waitFor();
  isAway.delete('settings');
  await stage.server().start();
  await tryAgain(page);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
});
