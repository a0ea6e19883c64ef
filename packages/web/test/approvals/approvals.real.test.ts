// What a person is asked and answers, in a real browser: what is in sight, what an answer reaches, and who gave it.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { stopTime, withClock } from '../support/clock.ts';
import { goWithin } from '../support/leaving.ts';
import { holdSubscription } from '../support/line.ts';
import { hasAnswer } from '../support/requests.ts';
import { patienceMs, setStage } from '../support/stage.ts';
import {
  answer,
  approvalOf,
  draw,
  readsSoon,
  say,
  takesAnswers,
  toolCardOf,
  transcriptOf,
} from '../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
/** More than a card takes to be put at its top. */
const manyDrawings = 20;

/** All of it, between the edges of what scrolls around it. */
async function isInSight(part: Locator): Promise<boolean> {
  return part.evaluate((element) => {
    const box = element.closest('[data-focus-home]') ?? document.documentElement;
    const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
    return inner.top >= outer.top && inner.bottom <= outer.bottom && inner.height > 0;
  });
}

/** Those that are shown over a card that waits. */
function coverCards(buttons: Element[]): string[] {
  const cards = [...document.querySelectorAll('[data-approval]')].map((card) => card.getBoundingClientRect());
  return buttons
    .map((button) => button.getBoundingClientRect())
    .filter(
      ({ left, right, width }) => width > 0 && cards.some((card) => card.left < right && left < card.right),
    )
    .map(({ left, right }) => `from ${left} to ${right}`);
}

const focusedLabel = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName);

async function pendingIn(sessionId: string): Promise<string> {
  const { items } = await stage.server().client.approvals.list({ sessionId, state: 'pending' });
  return items[0]?.id ?? '';
}

for (const size of [
  { width: 1280, height: 700 },
  { width: 390, height: 700, hasTouch: true },
])
  test(`a long approval is met at its top, and says again beside its answers what it is (${size.width} px)`, async () => {
    const { page } = await (size.hasTouch ? stage.openSession(size) : stage.goToSession(size));
    for (const words of ['markdown', 'hello']) await say(page, words);
    await readsSoon(page, /You said: hello/);
    await say(page, 'pay with hidden words');
    const card = approvalOf(page, 'pay', 'the payload on line 300');
    const head = card.getByRole('heading', { name: /^Allow/ });
    await head.waitFor();
    await expect.poll(() => isInSight(head), patience).toBe(true);
    await draw(page, manyDrawings);
    expect(await isInSight(head)).toBe(true);
    expect(await isInSight(card.getByText('high risk').first())).toBe(true);
    expect(await page.getByRole('button', { name: 'Jump to latest' }).evaluateAll(coverCards)).toEqual([]);

    const allow = card.getByRole('button', { name: 'Allow once' });
    // A reader scrolls with the wheel, and is left alone from then on.
    await page.mouse.wheel(0, 1);
    await allow.scrollIntoViewIfNeeded();
    const again = card.locator('footer').getByText('pay', { exact: true }).first();
    expect([await isInSight(head), await isInSight(again)]).toEqual([false, true]);
    expect(await card.locator('footer').innerText()).toMatch(/Allow pay.*\?\s+execute\s+high risk/s);
    // Whoever has scrolled to the answers stays there.
    await draw(page, manyDrawings);
    expect(await isInSight(allow)).toBe(true);
    await answer(card, 'Deny');
  });

test('a short approval says what it is once, the exact input before the preview of the tool', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'note the date');
  const card = approvalOf(page, 'note', 'the date');
  await card.getByRole('button', { name: 'Allow once' }).waitFor();
  const text = await card.innerText();
  expect(text.match(/\bmedium risk\b|\bhigh risk\b/g)).toHaveLength(1);
  expect(text.indexOf('Exactly this input')).toBeLessThan(text.indexOf('What it would do, as the tool says'));
  expect(text.indexOf('Exactly this input')).toBeGreaterThan(0);
});

test('a reason that is half typed when another answers is kept, with who answered, until it is put away', async () => {
  const { page, sessionId } = await stage.goToSession();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await say(page, 'pay grace');
  await answer(approvalOf(page, 'pay', 'grace'), 'Deny');
  await page.getByRole('textbox', { name: /Why not/ }).pressSequentially('not be');
  await stage.server().client.approvals.answer(await pendingIn(sessionId), { decision: 'allow' });
  const left = page.getByRole('region', { name: 'What you were writing' });
  await left.getByText('Allowed once by the owner, from a program.').waitFor();
  // `c` would begin another session, were it not for the words.
  await page.keyboard.type('cause');
  expect(await left.getByRole('textbox', { name: 'Your words' }).inputValue()).toBe('not be');
  expect(page.url()).toContain(sessionId);
  await left.getByRole('button', { name: 'Copy your words' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), patience).toBe('not be');
  await readsSoon(page, /Paid grace\./);
  await left.getByRole('button', { name: 'Dismiss' }).click();
  await expect.poll(() => left.count(), patience).toBe(0);
});

test('the same in the inbox; and what is typed survives a look elsewhere', async () => {
  const { page, sessionId } = await stage.goToSession();
  await say(page, 'pay heidi');
  await approvalOf(page, 'pay', 'heidi').waitFor();
  await page.goto(`${stage.server().url}/inbox`);
  const card = approvalOf(page, 'pay', 'heidi');
  await answer(card, 'Deny');
  await page.getByRole('textbox', { name: /Why not/ }).fill('not her');
  await page.getByRole('link', { name: 'Tools' }).first().click();
  await page.getByRole('heading', { name: 'Tools' }).waitFor();
  await page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click();
  expect(await page.getByRole('textbox', { name: /Why not/ }).inputValue()).toBe('not her');
  await stage.server().client.approvals.answer(await pendingIn(sessionId), { decision: 'deny' });
  const left = page.getByRole('region', { name: 'What you were writing' });
  await left.getByText('Denied by the owner, from a program.').waitFor();
  expect(await left.getByRole('textbox', { name: 'Your words' }).inputValue()).toBe('not her');
});

test('a tool that is asked about every time is, and no wider answer is offered', async () => {
  const { page } = await stage.goToSession();
  for (const _ of [1, 2]) {
    await say(page, 'pay ivan');
    const card = approvalOf(page, 'pay', 'ivan');
    await card.getByText('A call like this is asked about every time: the tool says so itself.').waitFor();
    const names = await card.locator('footer').getByRole('button').allInnerTexts();
    expect(names.map((name) => name.split('\n')[0])).toEqual(['Deny', 'Allow once']);
    expect(await card.locator('footer').innerText()).toContain('no wider answer is offered');
    await card.focus();
    await takesAnswers(card);
    await page.keyboard.press('s');
    await page.keyboard.press('w');
    await page.keyboard.press('a');
    await expect.poll(() => card.count(), patience).toBe(0);
  }
  await expect.poll(() => toolCardOf(page, 'pay, done').count(), patience).toBe(2);
});

test('a call that a grant let run says which grant, on its card and in the audit', async () => {
  const { page, sessionId } = await stage.goToSession();
  await say(page, 'note one');
  await answer(approvalOf(page, 'note', 'one'), 'This session');
  await toolCardOf(page, 'note, done').waitFor();
  await say(page, 'note two');
  const second = toolCardOf(page, 'note, done').nth(1);
  await second.getByText('Ran without a question: you had allowed it for this session').waitFor();
  const { items } = await stage.server().client.grants.list();
  const grant = items.find((each) => each.sessionId === sessionId);
  const link = second.getByRole('link', { name: /^grt_…/ });
  expect(await link.getAttribute('title')).toBe(grant?.id);
  await goWithin(page, `/audit?sessionId=${sessionId}`);
  await page.getByRole('row', { name: new RegExp(`grant ${grant?.id} \\(session\\)`) }).waitFor();
});

test('in the inbox j and k go from card to card, and an answer leads to the next one, never to an answer', async () => {
  const { client } = stage.server();
  for (const { id } of (await client.approvals.list({ state: 'pending' })).items)
    await client.approvals.answer(id, { decision: 'deny' });
  const { id } = await client.sessions.create({ engine: 'native' });
  const { id: other } = await client.sessions.create({ engine: 'native' });
  await client.sessions.send(id, 'pay judy');
  await expect.poll(() => pendingIn(id), patience).not.toBe('');
  await client.sessions.send(other, 'pay ken');
  const page = await stage.openWindow({ path: '/inbox', prepare: withClock });
  await approvalOf(page, 'pay', 'ken').waitFor();
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.keyboard.press('j');
  expect(await focusedText()).toContain('judy');
  await page.keyboard.press('j');
  expect(await focusedText()).toContain('ken');
  await page.keyboard.press('k');
  expect(await focusedText()).toContain('judy');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  expect(await focusedText()).toContain('judy');
  await takesAnswers(approvalOf(page, 'pay', 'judy'));
  // Time all but stands still, however slow the machine is: the next card takes no answer yet.
  await stopTime(page);
  await page.keyboard.press('a');
  const focusedNext = async () => {
    await page.clock.runFor(1);
    return focusedText();
  };
  await expect.poll(focusedNext, patience).toContain('ken');
  expect(await focusedLabel(page)).toBe('Approval: mcp__desk__pay');
  // Not what was meant for the card before.
  await page.keyboard.press('a');
  await hasAnswer(page);
  expect(await pendingIn(other)).not.toBe('');
  await page.clock.resume();
  // What was answered stays, and says what it was and where.
  const done = page
    .getByRole('article')
    .filter({ hasText: 'Allowed once by you (this browser), from the page' });
  await expect
    .poll(() => done.innerText(), patience)
    .toMatch(/pay\s*desk\s+\{"to":"judy","note":"for tea"\}.*assistant in pay judy/s);
  expect(await done.getByRole('link', { name: 'pay judy' }).getAttribute('href')).toBe(`/sessions/${id}`);
});

test('who answered is said by name: this browser, another one, the owner', async () => {
  const { page, sessionId } = await stage.openSession();
  const elsewhere = await stage.openWindow({ path: `/sessions/${sessionId}` });
  await say(page, 'pay leo');
  await answer(approvalOf(elsewhere, 'pay', 'leo'), 'Allow once');
  await readsSoon(elsewhere, /Allowed once by you \(this browser\), from the page/);
  await readsSoon(page, /Allowed once by Chromium on Linux, from the page/);
  await expect.poll(() => transcriptOf(page).getByText('Paid leo.').count(), patience).toBe(1);
});

test('what is asked between the first reading and the first event that is heard is shown', async () => {
  const { client } = stage.server();
  const ask = async () => {
    const { id } = await client.sessions.create({ engine: 'native' });
    await client.sessions.send(id, 'pay Ann');
    const waiting = async () => (await client.approvals.list({ sessionId: id })).items.length;
    await expect.poll(waiting, patience).toBe(1);
    return id;
  };
  const released = Promise.withResolvers<void>();
  const before = await ask();
  const page = await stage.openWindow({
    path: '/inbox',
    prepare: (opened) => holdSubscription(opened, released.promise),
  });
  const cardOf = (id: string) => page.locator('article').filter({ has: page.locator(`a[href$="${id}"]`) });
  await cardOf(before).waitFor();
  const meanwhile = await ask();
  released.resolve();
  await cardOf(meanwhile).waitFor();
});
