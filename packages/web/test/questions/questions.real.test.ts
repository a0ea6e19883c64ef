// Questions of an agent, answered in a real browser; and what a browser tells of when nobody looks at the page.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { patienceMs, setStage } from '../support/stage.ts';
import { readsSoon, say } from '../support/talk.ts';

const stage = setStage({ engine: 'asking' });
const patience = { timeout: patienceMs };

async function openAsked(words: string, mode?: 'plan') {
  const { id } = await stage.server().client.sessions.create(mode && { mode });
  const page = await stage.goTo(`/sessions/${id}`);
  await say(page, words);
  const card = page.getByRole('article', { name: 'Question' });
  await card.waitFor();
  return { page, card, id };
}

async function questionOf(sessionId: string) {
  const { items } = await stage.server().client.questions.list({ sessionId });
  return items[0];
}

test('one of several options is chosen, and the agent hears it', async () => {
  const { page, card, id } = await openAsked('choose');
  await expect.poll(() => page.title(), patience).toMatch(/^\(1\) /);
  expect(await card.getByRole('button', { name: 'Answer' }).isDisabled()).toBe(true);
  await card.getByRole('radio', { name: /Green\s*From the garden/ }).check();
  await card.getByRole('radio', { name: 'Black' }).check();
  await card.getByRole('button', { name: 'Answer' }).click();
  await readsSoon(page, /Heard: .*"Black"/);
  await expect.poll(() => page.title(), patience).not.toMatch(/^\(/);
  expect(await questionOf(id)).toMatchObject({
    state: 'answered',
    answer: 'Black',
    decidedBy: { via: 'web' },
  });
});

test('several are chosen where several may be', async () => {
  const { page, card, id } = await openAsked('choose any');
  await card.getByRole('checkbox', { name: 'Small' }).check();
  await card.getByRole('checkbox', { name: 'Cracked' }).check();
  await card.getByRole('checkbox', { name: 'Cracked' }).uncheck();
  await card.getByRole('checkbox', { name: 'Large' }).check();
  await card.getByRole('button', { name: 'Answer' }).click();
  await readsSoon(page, /Heard: .*"Small","Large"/);
  expect(await questionOf(id)).toMatchObject({ answer: ['Small', 'Large'] });
});

test('words of one’s own take the place of an option, and stay through a look elsewhere', async () => {
  const { page, card, id } = await openAsked('choose or say');
  await card.getByRole('radio', { name: 'Milk' }).check();
  await card.getByRole('textbox', { name: 'Or in your own words' }).fill('Neither, thank you');
  expect(await card.getByRole('radio', { name: 'Milk' }).isChecked()).toBe(false);
  await page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click();
  const inInbox = page.getByRole('article', { name: 'Question' }).filter({ hasText: 'Milk or sugar?' });
  expect(await inInbox.getByRole('textbox').inputValue()).toBe('Neither, thank you');
  await inInbox.getByRole('button', { name: 'Answer' }).click();
  await page.getByText('Answered by you (this browser), from the page').first().waitFor();
  expect(await questionOf(id)).toMatchObject({ answer: 'Neither, thank you' });
});

test('a question in words shows what it is about, and is answered by keyboard alone', async () => {
  const { page, card, id } = await openAsked('say');
  await card.getByRole('heading', { name: 'The plan' }).waitFor();
  await card.getByRole('textbox', { name: 'Your answer' }).focus();
  await page.keyboard.type('for you');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await readsSoon(page, /Heard: .*"for you"/);
  expect(await questionOf(id)).toMatchObject({ answer: 'for you' });
});

test('an option that leaves plan mode says so, and does', async () => {
  const { page, card, id } = await openAsked('leave plan', 'plan');
  await card.getByText('Leaves plan mode: the session goes on in mode acceptEdits.').waitFor();
  await card.getByRole('radio', { name: /^Begin/ }).check();
  await card.getByRole('button', { name: 'Answer' }).click();
  await readsSoon(page, /Heard: .*"Begin"/);
  await expect
    .poll(async () => (await stage.server().client.sessions.get(id)).mode, patience)
    .toBe('acceptEdits');
});

test('answered elsewhere, it says by whom, and what was being written is kept', async () => {
  const { page, card, id } = await openAsked('say');
  await card.getByRole('textbox', { name: 'Your answer' }).pressSequentially('for my gr');
  const asked = await questionOf(id);
  await stage.server().client.questions.answer(asked?.id ?? '', 'for me');
  const left = page.getByRole('region', { name: 'What you were writing' });
  await left.getByText('Answered by the owner, from a program.').waitFor();
  expect(await left.getByRole('textbox').inputValue()).toBe('for my gr');
  await readsSoon(page, /Heard: .*"for me"/);
  await left.getByRole('button', { name: 'Dismiss' }).click();
  await expect.poll(() => left.count(), patience).toBe(0);
});

interface Shown {
  title: string;
  body: string | undefined;
  tag: string | undefined;
}

/**
 * Remembers what the browser was given to show; it is shown all the same. The leave to do so is given here: a browser
 * without windows says that nobody gave it, whatever it was told.
 */
function rememberShown(permission: NotificationPermission): void {
  const shown: Notification[] = [];
  const Real = window.Notification;
  class Remembered extends Real {
    static override get permission(): NotificationPermission {
      return permission;
    }
    static override async requestPermission(): Promise<NotificationPermission> {
      Object.assign(window, { timesAsked: Reflect.get(window, 'timesAsked') + 1 });
      return permission;
    }
    constructor(title: string, options?: NotificationOptions) {
      super(title, options);
      shown.push(this);
    }
  }
  Object.assign(window, { Notification: Remembered, shown, timesAsked: 0 });
}

/** As when another tab is in front: a browser without a window never hides a page. */
const hide = (page: Page, isHidden: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  }, isHidden);

const shownIn = (page: Page): Promise<Shown[]> =>
  page.evaluate(() => {
    const shown: Notification[] = Reflect.get(window, 'shown');
    return shown.map(({ title, body, tag }) => ({ title, body, tag }));
  });

test('with leave to, the browser tells what waits while nobody looks, once, and leads to the inbox', async () => {
  const { client } = stage.server();
  const page = await stage.openWindow({
    path: '/tools',
    prepare: (opened) => opened.addInitScript(rememberShown, 'granted' as const),
  });
  await expect.poll(() => page.title(), patience).toMatch(/Toolyard/);
  const { id } = await client.sessions.create();
  await client.sessions.send(id, 'choose');
  await expect.poll(() => page.title(), patience).toMatch(/^\(1\) Tools/);
  expect(await shownIn(page)).toEqual([]);

  await hide(page, true);
  const { id: other } = await client.sessions.create();
  await client.sessions.send(other, 'say');
  const asked = async () => (await questionOf(other))?.id;
  await expect.poll(asked, patience).toBeDefined();
  const note = { title: 'Toolyard', body: 'An agent has a question', tag: await asked() };
  await expect.poll(() => shownIn(page), patience).toEqual([note]);
  await expect.poll(() => page.title(), patience).toMatch(/^\(2\) Tools/);

  const direct = client.tools.call('mcp__desk__pay', { input: { to: 'mallory', note: 'x' } });
  await expect
    .poll(async () => (await shownIn(page)).map(({ body }) => body), patience)
    .toEqual(['An agent has a question', 'mcp__desk__pay needs your approval']);
  await expect.poll(() => page.title(), patience).toMatch(/^\(3\) Tools/);
  await page.evaluate(() => Reflect.get(window, 'shown')[1].onclick());
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  for (const { id: approvalId } of (await client.approvals.list({ state: 'pending' })).items)
    await client.approvals.answer(approvalId, { decision: 'deny' });
  await direct;
  await expect.poll(() => page.title(), patience).toMatch(/^\(2\) Inbox/);
});

test('leave to tell is asked for by a press and never by itself, and without it nothing is shown', async () => {
  const { client } = stage.server();
  const prepare = (opened: Page) => opened.addInitScript(rememberShown, 'default' as const);
  const page = await stage.openWindow({ path: '/inbox', prepare });
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await hide(page, true);
  const { id } = await client.sessions.create();
  await client.sessions.send(id, 'choose any');
  const card = page.getByRole('article', { name: 'Question' }).filter({ hasText: 'Which cups?' });
  await card.last().waitFor();
  const timesAsked = () => page.evaluate(() => Reflect.get(window, 'timesAsked'));
  expect([await shownIn(page), await timesAsked()]).toEqual([[], 0]);
  await page
    .getByRole('button', { name: /notif|tell me/i })
    .first()
    .click();
  await expect.poll(timesAsked, patience).toBe(1);
});
