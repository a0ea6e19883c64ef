import { expect, test } from 'vitest';
import { setStage } from './support/stage.ts';
import { answer, readsSoon, readText, transcriptOf } from './support/talk.ts';

// What a newcomer has: the scenario that comes along, and no key.
const stage = setStage({ scenario: 'built-in' });

test('without a key the page says that it rehearses, and how to connect a model', async () => {
  const page = await stage.goTo('/');
  await page.getByText('Begin one here, or with run in a terminal').waitFor();
  const note = page.getByRole('region', { name: 'Rehearsal' });
  await note.getByText('This is a rehearsal: a built-in script answers, not a model.').waitFor();
  await note.getByText('Connect a model').click();
  await note.getByText('ANTHROPIC_API_KEY=').waitFor();
});

test('the first suggestion shows two tools that run at once, unasked', async () => {
  const page = await stage.goTo('/');
  await page.getByRole('button', { name: /^Watch tools run/ }).click();
  await readsSoon(page, /2 calls at once/);
  await readsSoon(page, /Two tools ran at once/);
  expect(await page.getByLabel(/^Approval: /).count()).toBe(0);
});

test('the second asks for an approval, and goes on when it is given', async () => {
  const page = await stage.goTo('/');
  await page.getByRole('button', { name: /^Approve a call/ }).click();
  const card = page.getByLabel(/^Approval: /).first();
  await answer(card, 'Allow once');
  await readsSoon(page, /Allowed once by/);
  await readsSoon(page, /version/i);
});

test('the third is a long answer that streams and can be stopped', async () => {
  const page = await stage.goTo('/');
  await page.getByRole('button', { name: /^Read a long answer/ }).click();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await expect
    .poll(async () => (await readText(transcriptOf(page))).length, { timeout: 20_000 })
    .toBeGreaterThan(600);
  await page.getByRole('button', { name: 'Stop' }).click();
  await readsSoon(page, /Interrupted/);
});
