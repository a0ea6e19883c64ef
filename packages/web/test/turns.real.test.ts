import { expect, test } from 'vitest';
import { setStage } from './support/stage.ts';
import { composerOf, readsSoon, readText, say, toolCardOf, transcriptOf } from './support/talk.ts';

const stage = setStage();

test('twelve calls at once are counted as twelve, once', async () => {
  const { page } = await stage.goToSession({ height: 1_400 });
  await say(page, 'twelve looks');
  await readsSoon(page, /Looked at it\./);
  const counts = (await readText(transcriptOf(page))).match(/\d+ calls at once/g);
  expect(counts).toEqual(['12 calls at once']);
  expect(await toolCardOf(page, 'look, done').count()).toBe(12);
});

test('a turn that failed keeps a way on when other turns follow', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'fail');
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  await say(page, 'are you back');
  await readsSoon(page, /I am back\./);
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Ask again' }).click();
  expect(await composerOf(page).inputValue()).toBe('fail');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Retry' }).waitFor();
});
