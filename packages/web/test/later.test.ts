import { expect, test } from 'vitest';
import { serverAway, setStage } from './support/stage.ts';

const stage = setStage();
const later = new RegExp(`${serverAway.source}|ERR_FAILED`);

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

test('a part that could not be loaded is there when it is wanted, if need be with a fresh page', async () => {
  let isAway = true;
  let asked = 0;
  const page = await stage.openWindow({
    expected: later,
    prepare: (page) =>
      page.route(/\/assets\/shown-dialog-/, (route) => {
        asked++;
        return isAway ? route.abort('connectionrefused') : route.continue();
      }),
  });
  await page.getByText(/^Connected/).waitFor();
  await page.waitForLoadState('networkidle');
  expect(asked).toBeGreaterThan(0);
  await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
  isAway = false;
  await page.getByRole('button', { name: /^Find/ }).click();
  await page.waitForLoadState('networkidle');
  await page.getByText('half a thought').waitFor();
  if (!(await page.getByRole('dialog').isVisible()))
    await page.getByRole('button', { name: /^Find/ }).click();
  await page.getByRole('dialog').waitFor();
});
