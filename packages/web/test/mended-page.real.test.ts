// The page when something in it, or around it, is not as it should be, in a real browser.
import type { ListedTool } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { passTime, withClock } from './support/clock.ts';
import { hasAnswer, watchDeletes } from './support/requests.ts';
import { patienceMs, setStage } from './support/stage.ts';
import { answer, approvalOf, composerOf, readsSoon, say, takesAnswers } from './support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };

test('a row that breaks takes neither the conversation nor the page with it, and a screen that breaks leaves the rest', async () => {
  const { page } = await stage.openSession({
    expected: /broken on purpose/,
    prepare: (page) =>
      page.addInitScript(() => {
        // Only what counts characters that are not shown uses it here.
        Number.prototype.toLocaleString = () => {
          throw new Error('broken on purpose');
        };
      }),
  });
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await say(page, 'pay with hidden words');
  await readsSoon(page, /This part of the conversation cannot be shown/);
  await readsSoon(page, /You said: hello there/);
  await composerOf(page).fill('still here');
  await page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'This screen broke' }).waitFor();
  expect(await page.getByRole('figure', { name: 'Details' }).innerText()).toContain('broken on purpose');
  expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(1);
  await page.getByRole('navigation', { name: 'Sessions' }).getByText('hello there').first().click();
  expect(await composerOf(page).inputValue()).toBe('still here');
});

test('of a deleted session the inbox says that its approval is gone, and lets it go', async () => {
  const { client } = stage.server();
  const { id } = await client.sessions.create({ engine: 'native' });
  await client.sessions.send(id, 'pay Bert');
  const page = await stage.openWindow({ path: '/inbox', expected: /404/ });
  await approvalOf(page, 'pay', 'Bert').waitFor();
  await client.sessions.delete(id);
  const gone = page.getByRole('article', { name: 'Gone' });
  await gone.getByText('its session was deleted').waitFor();
  expect(await approvalOf(page, 'pay', 'Bert').count()).toBe(0);
  await gone.getByRole('button', { name: 'Put away' }).click();
  expect(await gone.count()).toBe(0);
});

test('what is asked while the page still reads its list is shown, though the list was read before', async () => {
  const { client } = stage.server();
  const { id } = await client.sessions.create({ engine: 'native' });
  const { promise: isHeard, resolve: release } = Promise.withResolvers<void>();
  const { promise: isRead, resolve: tellRead } = Promise.withResolvers<void>();
  let isFirst = true;
  const page = await stage.openWindow({
    path: '/inbox',
    prepare: (page) =>
      page.route(/\/api\/approvals\?.*pending/, async (route) => {
        if (!isFirst) return route.continue();
        isFirst = false;
        const response = await route.fetch();
        tellRead();
        await isHeard;
        await route.fulfill({ response });
      }),
  });
  await isRead;
  await page.getByText(/^Connected/).waitFor();
  // What the page reads when it has heard that the session asks.
  const heard = page.waitForResponse(
    async (response) =>
      response.url().endsWith(`/api/sessions/${id}`) && (await response.json()).status === 'waiting',
  );
  await client.sessions.send(id, 'pay Dora');
  await heard;
  release();
  await approvalOf(page, 'pay', 'Dora').waitFor();
});

test('undo holds though the tab was duplicated meanwhile', async () => {
  const { page, sessionId } = await stage.openSession({ prepare: withClock });
  await say(page, 'short lived');
  await readsSoon(page, /You said: short lived/);
  await page.getByRole('navigation', { name: 'Sessions' }).locator(`a[href$="${sessionId}"]`).focus();
  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  const [copy] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(() => void window.open('/inbox')),
  ]);
  await copy.getByRole('heading', { name: 'Inbox' }).waitFor();
  // Some browsers call a duplicate a reload, which finds the other's storage as it was.
  const kept = await page.evaluate(() => sessionStorage.getItem('toolyard.deletions'));
  expect(kept).toContain(sessionId);
  await copy.evaluate((stored) => sessionStorage.setItem('toolyard.deletions', stored ?? ''), kept);
  await copy.reload();
  await copy.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  // Past the time in which it would have gone, in both tabs.
  const deletes = watchDeletes(page, copy);
  await passTime(page, 7_000);
  await Promise.all([page, copy].map(hasAnswer));
  expect(deletes).toEqual([]);
  expect((await stage.server().client.sessions.get(sessionId)).id).toBe(sessionId);
});

test('where a browser makes no notification the page goes on, and its title counts', async () => {
  const { page } = await stage.openSession({
    prepare: (page) =>
      page.addInitScript(() => {
        class Notification {
          static permission = 'granted';
          constructor() {
            throw new TypeError('Illegal constructor');
          }
        }
        Object.assign(window, { Notification });
        Object.defineProperty(document, 'hidden', { get: () => true });
      }),
  });
  await say(page, 'pay Carl');
  await approvalOf(page, 'pay', 'Carl').waitFor();
  await expect.poll(() => page.title(), patience).toMatch(/^\(\d+\) /);
  await answer(approvalOf(page, 'pay', 'Carl'), 'Allow once');
  await readsSoon(page, /Paid Carl/);
});

test('what runs something is shown whole before it can be allowed', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'pay with hidden words');
  const card = approvalOf(page, 'pay', 'the payload on line 300');
  const allow = card.getByRole('button', { name: 'Allow once' });
  await takesAnswers(card);
  expect(await allow.isDisabled()).toBe(true);
  expect(await card.getByRole('button', { name: 'Deny' }).isDisabled()).toBe(false);
  await card.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(() => allow.isDisabled(), patience).toBe(false);
});

test('an event of a newer server is named, the rest is shown, and who writes on leaves what was found', async () => {
  const { id } = await stage.server().client.sessions.create({ engine: 'native' });
  const page = await stage.openWindow({
    path: `/sessions/${id}?at=1&q=hello`,
    prepare: (page) =>
      page.routeWebSocket(/\/api\/ws/, (line) => {
        const server = line.connectToServer();
        server.onMessage((message) =>
          line.send(String(message).replaceAll('"type":"usage"', '"type":"moon"')),
        );
      }),
  });
  await composerOf(page).waitFor();
  expect(page.url()).toContain('q=hello');
  await say(page, 'hello there');
  await readsSoon(page, /An event this page does not know: moon/);
  await readsSoon(page, /You said: hello there/);
  expect(new URL(page.url()).search).toBe('');
  await say(page, 'and again');
  await readsSoon(page, /You said: and again/);
});

test('a tool that is tried shows what it asks, also where its form fills the dialog', async () => {
  const page = await stage.goTo('/tools?tool=mcp__desk__pay', { height: 460 });
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByRole('textbox', { name: /^to/ }).fill('frank');
  await page.getByRole('textbox', { name: /^note/ }).fill('lunch');
  await page.getByRole('button', { name: 'Call it' }).click();
  const head = approvalOf(page, 'pay', 'frank').getByRole('heading', { name: /^Allow/ });
  await head.waitFor();
  const isInSight = () =>
    head.evaluate((element) => {
      const { left, top, bottom } = element.getBoundingClientRect();
      const shown = document.elementFromPoint(left + 2, (top + bottom) / 2);
      return shown !== null && (element.contains(shown) || shown.contains(element));
    });
  await expect.poll(isInSight, patience).toBe(true);
});

test('a tool that is tried before all roles are read is called as one that has it', async () => {
  const known = Promise.withResolvers<void>();
  const page = await stage.openWindow({
    path: '/tools?tool=mcp__desk__pay',
    prepare: (page) =>
      page.route(/\/api\/tools\?/, async (route) => {
        const response = await route.fetch();
        const { items }: { items: ListedTool[] } = await response.json();
        if (items.some(({ name, offered }) => name === 'mcp__desk__pay' && offered)) await known.promise;
        await route.fulfill({ response });
      }),
  });
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByText('No role has this tool').waitFor();
  known.resolve();
  await page.getByRole('textbox', { name: /^to/ }).fill('grace');
  await page.getByRole('textbox', { name: /^note/ }).fill('lunch');
  await page.getByRole('button', { name: 'Call it' }).click();
  await approvalOf(page, 'pay', 'grace').waitFor();
});

test('a setting that was saved elsewhere meanwhile is told before it is written over', async () => {
  const { client } = stage.server();
  const page = await stage.goTo('/settings');
  const steps = page.getByLabel('limits.maxSteps');
  await steps.fill('31');
  await client.config.change({ limits: { maxSteps: 29 } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('this was changed elsewhere meanwhile').waitFor();
  const readSteps = async () =>
    (await client.config.read()).items.find(({ key }) => key === 'limits.maxSteps')?.value;
  expect(await readSteps()).toBe(29);
  expect(await steps.inputValue()).toBe('31');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(readSteps, patience).toBe(31);
});
