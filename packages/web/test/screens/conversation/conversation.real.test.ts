import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { reload } from '../../support/leaving.ts';
import { holdEvents } from '../../support/line.ts';
import { slowWords } from '../../support/scenario.ts';
import { patienceMs, serverAway, setStage } from '../../support/stage.ts';
import {
  answer,
  approvalOf,
  composerOf,
  readsSoon,
  readWords,
  say,
  takesAnswers,
  toolCardOf,
  transcriptOf,
} from '../../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const allSlowWords = Array.from({ length: slowWords }, (_, index) => `w${index + 1}`);

test('a person begins at the start screen, converses, and finds the session in the list', async () => {
  const page = await stage.goTo('/');
  await page.getByRole('region', { name: 'Rehearsal' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('markdown please');
  await page.getByRole('button', { name: 'Send' }).click();
  const conversation = transcriptOf(page);
  await conversation.getByRole('heading', { name: 'A heading' }).waitFor();
  await conversation.getByRole('cell', { name: 'one' }).waitFor();
  await readsSoon(page, /const answer: number = 42;/);
  await say(page, 'look at both');
  await toolCardOf(page, 'look, done').nth(1).waitFor();
  await readsSoon(page, /2 calls at once/);
  await toolCardOf(page, 'look, done').first().getByRole('button').first().click();
  await readsSoon(page, /the tea/);
  await page.getByRole('navigation', { name: 'Sessions' }).getByText('markdown please').waitFor();
});

test('an approval is given: the exact input is shown, nothing has the focus, and the call runs once', async () => {
  const { page, sessionId } = await stage.goToSession();
  await say(page, 'pay bob');
  const card = approvalOf(page, 'pay', 'bob');
  await card.getByText('bob', { exact: true }).waitFor();
  await card.getByText('A call like this is asked about every time: the tool says so itself.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Your message');
  await expect.poll(() => page.title(), patience).toMatch(/^\(1\) /);
  await answer(card, 'Allow once');
  await readsSoon(page, /Paid bob\./);
  await readsSoon(page, /Allowed once by .+, from the page/);
  await expect.poll(() => page.title(), patience).not.toMatch(/^\(/);
  const { items } = await stage.server().client.approvals.list({ sessionId });
  expect(items.map(({ state, decidedBy }) => [state, decidedBy?.via])).toEqual([['allowed', 'web']]);
});

test('an approval is denied with a reason, from the inbox, and the agent is told', async () => {
  const { page, sessionId } = await stage.goToSession();
  await stage.server().client.sessions.send(sessionId, 'pay carol');
  await page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click();
  await answer(approvalOf(page, 'pay', 'carol'), 'Deny');
  await page.getByRole('textbox', { name: /Why not/ }).fill('not her');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page
    .getByText(/Denied by .+, from the page/)
    .first()
    .waitFor();
  const { items } = await stage.server().client.approvals.list({ sessionId });
  expect(items.map(({ state, reason }) => ({ state, reason }))).toEqual([
    { state: 'denied', reason: 'not her' },
  ]);
  await page.goBack();
  await readsSoon(page, /So it was not done\./);
});

test('answered in two windows at once, one answer counts and the other window is told', async () => {
  const { promise: both, resolve: release } = Promise.withResolvers<void>();
  const prepare = (page: Page) => holdEvents(page, /approval_resolved/, both);
  const { page, sessionId } = await stage.openSession({ prepare });
  const other = await stage.openWindow({ path: `/sessions/${sessionId}`, prepare });
  await say(page, 'pay dave');
  await answer(approvalOf(other, 'pay', 'dave'), 'Deny');
  await other.getByRole('textbox', { name: /Why not/ }).waitFor();
  const allow = approvalOf(page, 'pay', 'dave').getByRole('button', { name: 'Allow once' });
  await takesAnswers(approvalOf(page, 'pay', 'dave'), 'Allow once');
  // Not by the pointer, which waits until it may: the second answer would come too late to be given.
  const press = (button: Locator) => button.evaluate((element: HTMLElement) => element.click());
  await Promise.all([press(allow), press(other.getByRole('button', { name: 'Deny' }))]);

  const list = async () => (await stage.server().client.approvals.list({ sessionId })).items;
  await expect.poll(async () => (await list()).map(({ state }) => state), patience).not.toContain('pending');
  const [decided] = await list();
  const loser = decided?.state === 'denied' ? page : other;
  await loser.getByText('Your answer came too late').first().waitFor();
  release();
  const outcome =
    decided?.state === 'denied' ? /Denied by .+, from the page/ : /Allowed once by .+, from the page/;
  await readsSoon(page, outcome);
  await readsSoon(other, outcome);
  expect(await list()).toEqual([decided]);
});

test('an answer given elsewhere shows at once, with who gave it', async () => {
  const { page, sessionId } = await stage.goToSession();
  await say(page, 'pay erin');
  await approvalOf(page, 'pay', 'erin').waitFor();
  const { client } = stage.server();
  const { items } = await client.approvals.list({ sessionId, state: 'pending' });
  await client.approvals.answer(items[0]?.id ?? '', { decision: 'deny', reason: 'no' });
  await readsSoon(page, /Denied by .+, from a program/);
  expect(await approvalOf(page, 'pay', 'erin').count()).toBe(0);
});

test('a turn is stopped, what was said stays, and a message written meanwhile is queued', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'never end');
  await readsSoon(page, /\bw5\b/);
  await say(page, 'hello after it');
  await readsSoon(page, /Queued: it is next/);
  await say(page, 'not meant so');
  await page.getByRole('button', { name: 'Take back' }).nth(1).click();
  await expect.poll(() => composerOf(page).inputValue()).toBe('not meant so');
  await page.getByText('1 queued message follows when you stop').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await readsSoon(page, /Interrupted/);
  await readsSoon(page, /You said: hello after it/);
  await readsSoon(page, /\bw5\b/);
  expect(await transcriptOf(page).getByText('not meant so').count()).toBe(0);
});

test('a page that is reloaded in the middle of an answer misses nothing and doubles nothing', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'count slowly');
  await readsSoon(page, /\bw20\b/);
  await composerOf(page).fill('half a thought');
  await reload(page);
  await readsSoon(page, /\bw30\b/);
  await reload(page);
  await readsSoon(page, new RegExp(`\\bw${slowWords}\\b`));
  expect(await readWords(page)).toEqual(allSlowWords);
  expect(await composerOf(page).inputValue()).toBe('half a thought');
});

test('a server that is killed and started again under the page: it says so, comes back and sends what waited', async () => {
  const { page, sessionId } = await stage.openSession({ expected: serverAway });
  await say(page, 'count slowly');
  await readsSoon(page, /\bw20\b/);
  await stage.server().kill();
  await page.getByText('Reconnecting… What was sent is kept').waitFor();
  const before = await readWords(page);
  await say(page, 'are you back');
  await readsSoon(page, /Waits for the server/);
  await stage.server().start();
  await readsSoon(page, /I am back\./);
  const after = await readWords(page);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after).toEqual(allSlowWords.slice(0, after.length));
  const messages: string[] = [];
  for await (const event of stage
    .server()
    .client.sessions.events(sessionId, { signal: AbortSignal.timeout(5_000) })) {
    if (event.type === 'user_message') messages.push(String(event.data.content));
    if (event.type === 'turn_end' && messages.length > 1) break;
  }
  expect(messages).toEqual(['count slowly', 'are you back']);
  expect(await page.getByText('Reconnecting…').count()).toBe(0);
});
