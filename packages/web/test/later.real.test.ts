import { pause } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { serverAway, setStage } from './support/stage.ts';
import { readsSoon } from './support/talk.ts';

const stage = setStage();
const later = new RegExp(`${serverAway.source}|ERR_FAILED|NotLoaded`);

test('what is not needed at first is there when the server is not', async () => {
  const page = await stage.openWindow({ expected: later });
  await page.getByText(/^Connected/).waitFor();
  await page.waitForLoadState('networkidle');
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
  const page = await stage.openWindow({
    expected: later,
    prepare: async (page) => {
      await page.route(/\/assets\/conversation-screen-/, (route) =>
        pause(4_000).then(() => route.continue()),
      );
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
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
});
