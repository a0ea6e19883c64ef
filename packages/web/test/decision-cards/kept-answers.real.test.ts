// What a person is writing in answer to an agent, or has answered while the server is away, in a real browser: kept,
// shown, or said to be not sent.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { tryAgain, withClock } from '../support/clock.ts';
import { cutLine } from '../support/cut-line.ts';
import { reload } from '../support/leaving.ts';
import { logInAgain, logOut } from '../support/log-in.ts';
import { notLoggedIn, patienceMs, setStage } from '../support/stage.ts';
import { answer, approvalOf, readsSoon, say } from '../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const reasonOf = (page: Page) => approvalOf(page, 'pay', 'Ann').getByRole('textbox', { name: /^Why not\?/ });

async function typeReason(page: Page): Promise<void> {
  await say(page, 'pay Ann');
  await answer(approvalOf(page, 'pay', 'Ann'), 'Deny');
  await reasonOf(page).fill('she was paid');
}

test('half a reason is there again after a reload, and after a login that was revoked', async () => {
  const { page } = await stage.openSession({ expected: notLoggedIn });
  await typeReason(page);
  await reload(page);
  await expect.poll(() => reasonOf(page).inputValue(), patience).toBe('she was paid');
  expect(await page.getByText('was not sent').count()).toBe(0);
  await logOut(page, stage.server());
  await logInAgain(page, stage.server());
  await expect.poll(() => reasonOf(page).inputValue(), patience).toBe('she was paid');
});

test('half a reason outlives its session, and can be copied or put away', async () => {
  const { page, sessionId } = await stage.openSession({ expected: /404/ });
  await typeReason(page);
  await stage.server().client.sessions.delete(sessionId);
  await page.getByText('This session is not there').waitFor();
  const left = page.getByRole('region', { name: 'What you were writing' });
  await left.waitFor();
  expect(await left.getByRole('textbox').inputValue()).toBe('she was paid');
  await left.getByRole('button', { name: 'Dismiss' }).click();
  await left.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => sessionStorage.getItem('toolyard.typed'))).toBe(null);
});

async function openCut() {
  let line: Awaited<ReturnType<typeof cutLine>> | undefined;
  const { id } = await stage.server().client.sessions.create({ engine: 'native' });
  await stage.server().client.sessions.send(id, 'pay Ann');
  const page = await stage.openWindow({
    path: '/inbox',
    // Whether the server is there at all is asked over HTTP.
    expected: /426/,
    prepare: async (page) => {
      await withClock(page);
      line = await cutLine(page);
    },
  });
  const card = page.locator('article').filter({ has: page.locator(`a[href$="${id}"]`) });
  await answer(card, 'Deny');
  const reason = card.getByRole('textbox', { name: /^Why not\?/ });
  await reason.fill('she was paid');
  await line?.cut();
  await page.getByText('Reconnecting…').first().waitFor();
  const mend = async () => {
    line?.mend();
    await tryAgain(page);
  };
  return { page, card, reason, id, mend };
}

const decidedIn = async (sessionId: string) =>
  (await stage.server().client.approvals.list({ sessionId })).items.map(({ state, reason }) => ({
    state,
    reason,
  }));

test('a denial pressed while the server is away says so, can be taken back, and goes out by itself', async () => {
  const { card, reason, id, mend } = await openCut();
  await card.getByRole('button', { name: 'Deny' }).click();
  await card.getByText(/“Deny” is not sent yet/).waitFor();
  await card.getByRole('button', { name: 'Take it back' }).click();
  expect(await card.getByText(/is not sent yet/).count()).toBe(0);
  expect(await reason.inputValue()).toBe('she was paid');
  await card.getByRole('button', { name: 'Deny' }).click();
  await card.getByText(/“Deny” is not sent yet/).waitFor();
  await mend();
  await expect.poll(() => decidedIn(id), patience).toEqual([{ state: 'denied', reason: 'she was paid' }]);
});

test('after a reload a denial that was not sent says so, with its reason', async () => {
  const { page, card, reason, id, mend } = await openCut();
  await card.getByRole('button', { name: 'Deny' }).click();
  await card.getByText(/“Deny” is not sent yet/).waitFor();
  await reload(page);
  await card.getByText(/You pressed “Deny” while the server was away. It was not sent/).waitFor();
  expect(await reason.inputValue()).toBe('she was paid');
  await mend();
  await page.getByText('Reconnecting…').first().waitFor({ state: 'detached' });
  expect(await decidedIn(id)).toEqual([{ state: 'pending', reason: undefined }]);
  await card.getByRole('button', { name: 'Deny' }).click();
  await expect.poll(() => decidedIn(id), patience).toEqual([{ state: 'denied', reason: 'she was paid' }]);
  await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage)), patience).toEqual([]);
});

test('what was typed over a recalled message is not written over by the arrows', async () => {
  const { page } = await stage.openSession();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  const field = page.getByRole('textbox', { name: 'Your message' });
  await field.focus();
  await page.keyboard.press('ArrowUp');
  expect(await field.inputValue()).toBe('hello there');
  // As dictation and input methods do: no key that says what was written.
  await page.keyboard.insertText(', and dictated words');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  expect(await field.inputValue()).toBe('hello there, and dictated words');
});
