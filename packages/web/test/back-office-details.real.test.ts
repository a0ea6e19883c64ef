// Tools, audit, tokens and settings in a real browser: what tells things apart, what is in reach, what went wrong.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { reload } from './support/leaving.ts';
import { patienceMs, setStage } from './support/stage.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const phone = { width: 390, height: 844, hasTouch: true };

/** What can be pressed in a screen and is lower than a finger is wide, unless it stands in a line of words. */
function findSmall(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>(
      'main button, main [role=combobox], main input, main a',
    );
    const reach = (element: HTMLElement) => {
      const after = getComputedStyle(element, '::after');
      const row = after.position === 'absolute' ? element.closest('tr, li') : null;
      return (row ?? element).getBoundingClientRect().height;
    };
    return [...all]
      .filter((element) => element.offsetParent !== null && reach(element) < 40)
      .map((element) => `${element.getAttribute('aria-label') ?? element.textContent} ${reach(element)}`);
  });
}

/** What is cut at the right edge, or has to be scrolled to sideways. */
function findCut(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll<HTMLElement>('main, main *')]
      .filter(({ scrollWidth, clientWidth, tagName }) => tagName !== 'INPUT' && scrollWidth > clientWidth + 1)
      .filter((element) => getComputedStyle(element).overflowX !== 'visible')
      .filter((element) => element.offsetHeight > 1 && !element.matches('.truncate, .truncate *'))
      .map((element) => `${element.tagName} ${element.getAttribute('aria-label')} ${element.scrollWidth}`),
  );
}

test('on a phone tools and evidence fit, and all that can be pressed is as high as a finger is wide', async () => {
  await stage.server().client.tools.call('mcp__desk__look', { input: { at: 'tea' } });
  const page = await stage.openWindow({ ...phone, path: '/tools' });
  await page.getByRole('button', { name: /get_server_info/ }).waitFor();
  expect([await findCut(page), await findSmall(page)]).toEqual([[], []]);
  const tool = page.getByRole('listitem').filter({ hasText: 'get_server_info' });
  expect(await tool.innerText()).toMatch(/assistant, coordinator\s+asks\s+tier session, by the tool/);
  expect(await tool.innerText()).toMatch(/developer, researcher, reviewer\s+not offered/);
  await tool.getByRole('button').tap();
  await page.getByRole('dialog').getByText('get_server_info').first().waitFor();

  await page.goto(`${stage.server().url}/audit`);
  await page.getByText('tier auto, by the tool').first().waitFor();
  expect([await findCut(page), await findSmall(page)]).toEqual([[], []]);
  const row = page.getByRole('row', { name: /decision look/ });
  await row.scrollIntoViewIfNeeded();
  const box = await row.boundingBox();
  await page.touchscreen.tap((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) - 6);
  await page.getByRole('dialog').getByText('Hash of the row').waitFor();
});

/** Lets a role call `note` from now on: its cell then names the grant, in one long word. */
async function grantNote(role: string): Promise<void> {
  const { client } = stage.server();
  const called = client.tools.call('mcp__desk__note', { input: { text: role }, role });
  const pending = async () => (await client.approvals.list({ state: 'pending' })).items[0]?.id ?? '';
  await expect.poll(pending, patience).not.toBe('');
  await client.approvals.answer(await pending(), { decision: 'allow', scope: 'always' });
  await called;
}

for (const width of [1280, 1100])
  test(`the matrix shows all five roles at ${width} px`, async () => {
    for (const role of ['assistant', 'coordinator']) if (width === 1280) await grantNote(role);
    const page = await stage.goTo('/tools', { width });
    await page.getByRole('columnheader', { name: /^reviewer/ }).waitFor();
    // With room for the bar that a system may put beside what scrolls.
    const left = await page.getByRole('region', { name: 'Tools by role' }).evaluate((box) => {
      const last = box.querySelector('thead th:last-child');
      return box.getBoundingClientRect().right - (last?.getBoundingClientRect().right ?? 0);
    });
    const narrow = await page.getByRole('region', { name: 'Tools by role' }).evaluate((box) => {
      box.querySelector('table')?.style.setProperty('width', '0');
      return (box.querySelector('table')?.offsetWidth ?? 0) + 16 - box.clientWidth;
    });
    expect(left).toBeGreaterThanOrEqual(0);
    expect(narrow).toBeLessThanOrEqual(0);
  });

test('browsers are told apart in the settings, and the one that looks is marked', async () => {
  const page = await stage.goTo('/settings?tab=tokens');
  const other = await stage.openWindow({});
  await other.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
  await reload(page);
  const rows = page.getByRole('row').filter({ hasText: 'Chromium on Linux' });
  await expect.poll(() => rows.count(), patience).toBeGreaterThan(1);
  expect(await rows.filter({ hasText: 'this browser' }).count()).toBe(1);
  expect(await rows.first().innerText()).toMatch(/from 127\.0\.0\.1\s+Mozilla\/5\.0 /);
  const { items } = await stage.server().client.tokens.list();
  expect(items.filter(({ current }) => current)).toEqual([]);
  const mine = rows.filter({ hasText: 'this browser' });
  await mine.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('alertdialog').getByText('It is the browser you are looking at').waitFor();
});

test('a number out of range is refused in words', async () => {
  const page = await stage.openWindow({ path: '/settings', expected: /400/ });
  await page.getByLabel('limits.maxSteps').fill('-3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('it must be at least 1', { exact: true }).waitFor();
  await page.getByLabel('limits.maxSteps').fill('1.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('it must be a whole number', { exact: true }).waitFor();
});

test('a tool that breaks when it is tried says why, without secrets, and where the log tells more', async () => {
  const page = await stage.goTo('/tools?tool=mcp__desk__break_down');
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Call it' }).click();
  const answered = page.getByRole('region', { name: 'What it answered' });
  await answered.getByText('Error: the kettle is empty').waitFor();
  const text = await answered.innerText();
  expect(text).toMatch(/because of TypeError: no water at key/);
  expect(text).not.toContain('abcdefghijklmnop');
  expect(text).toMatch(/More is in the server’s log, at\s+call_[0-9a-z]{22}/);
});
