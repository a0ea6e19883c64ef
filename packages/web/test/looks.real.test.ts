import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { addAxe, type Finding, findInLightAndDark, findViolations } from './support/axe.ts';
import { goWithin, reload } from './support/leaving.ts';
import { patienceMs, setStage } from './support/stage.ts';
import { approvalOf, composerOf, readsSoon, takesAnswers, toolCardOf, transcriptOf } from './support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const phone = { width: 390, height: 844, hasTouch: true };
let talkId = '';

// A conversation with all kinds of rows, and one call that waits.
beforeAll(async () => {
  const { client } = stage.server();
  const { id } = await client.sessions.create({ engine: 'native' });
  talkId = id;
  for (const words of ['markdown', 'look at both', 'fail', 'note the time'])
    await client.sessions.send(id, words);
  await vi.waitFor(async () => {
    expect((await client.approvals.list({ state: 'pending' })).items).toHaveLength(1);
  }, patience);
});

const screens = [
  { name: 'start', path: '/', heading: 'What shall we work on?', sign: 'Watch tools run' },
  { name: 'conversation', path: '/sessions/', heading: 'markdown', sign: 'Exactly this input' },
  { name: 'inbox', path: '/inbox', heading: 'Inbox', sign: 'Exactly this input' },
  { name: 'agents', path: '/agents', heading: 'Agents', sign: 'No agents yet' },
  { name: 'tasks', path: '/tasks', heading: 'Tasks', sign: 'No tasks yet' },
  { name: 'tools', path: '/tools', heading: 'Tools', sign: 'get_server_info' },
  { name: 'audit', path: '/audit', heading: 'Audit', sign: 'tier auto, by the tool' },
  { name: 'usage', path: '/usage', heading: 'Usage', sign: 'Tokens' },
  ...['Configuration', 'Tokens', 'Grants', 'Trust', 'Roles', 'Doctor'].map((tab) => {
    const path = `/settings?tab=${tab.toLowerCase()}`;
    return { name: `settings, ${tab}`, path, heading: 'Settings', sign: tab, tab };
  }),
];
const toPath = (path: string) => (path === '/sessions/' ? `${path}${talkId}` : path);

interface Screen {
  path: string;
  heading: string;
  sign: string;
  tab?: string;
}

async function show(page: Page, { path, heading, sign, tab }: Screen): Promise<void> {
  await goWithin(page, toPath(path));
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  if (tab) await page.getByRole('tab', { name: tab, selected: true }).waitFor();
  await page.getByRole('main').getByText(sign).first().waitFor();
  await expect.poll(() => page.getByRole('status', { name: /^(Reading|Loading)/ }).count(), patience).toBe(0);
}

test('in the light and in the dark, axe finds no serious violation on any screen', async () => {
  const page = await stage.goTo('/');
  await addAxe(page);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const found: Finding[] = [];
  for (const screen of screens) {
    await show(page, screen);
    found.push(...(await findInLightAndDark(page, screen.name)));
  }
  expect(found).toEqual([]);
  await page.evaluate(() => {
    const words = document.createElement('p');
    words.textContent = 'hardly to be read';
    words.style.cssText = 'color: #888; background: #777';
    const button = document.createElement('button');
    const planted = document.createElement('div');
    planted.id = 'planted';
    planted.append(button, words);
    document.querySelector('main')?.append(planted);
  });
  const nodes = expect.any(Array);
  expect(await findInLightAndDark(page, 'planted')).toEqual([
    { screen: 'planted, light', rule: 'button-name', nodes },
    { screen: 'planted, light', rule: 'color-contrast', nodes },
    { screen: 'planted, dark', rule: 'color-contrast', nodes },
  ]);
  await page.evaluate(() => document.querySelector('#planted')?.remove());
  await page.emulateMedia({ reducedMotion: null });
}, 120_000);

test('on a phone no screen is wider than it, and the side opens and closes; images go side by side, what takes one back covers little of it, and words grow with the browser’s own', async () => {
  const page = await stage.openWindow(phone);
  await addAxe(page);
  const wide: string[] = [];
  for (const screen of screens) {
    await show(page, screen);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) wide.push(`${screen.name} by ${overflow} px`);
  }
  expect(wide).toEqual([]);
  await goWithin(page, '/');
  // Without a keyboard Enter breaks the line, as in a conversation.
  await page.getByRole('textbox', { name: 'Message' }).fill('one');
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('one\n');
  await page.getByRole('button', { name: 'Sessions and screens' }).click();
  const side = page.getByRole('dialog', { name: 'Sessions and screens' });
  expect(await findViolations(page, 'side on a phone')).toEqual([]);
  await side.getByRole('link', { name: 'Tools' }).click();
  await page.getByRole('heading', { name: 'Tools' }).waitFor();
  await expect.poll(() => side.count(), patience).toBe(0);

  const { id } = await stage.server().client.sessions.create({ engine: 'native' });
  await goWithin(page, `/sessions/${id}`);
  await composerOf(page).waitFor();
  const buffer = Buffer.from(dot, 'base64');
  const files = [1, 2].map((at) => ({ name: `dot-${at}.png`, mimeType: 'image/png', buffer }));
  await page.locator('input[type=file]').setInputFiles(files);
  const mark = page.getByRole('button', { name: 'Remove dot-2.png' });
  const [room, seen] = [await mark.boundingBox(), await mark.locator('span').boundingBox()];
  expect([room?.width, room?.height, seen?.width, seen?.height]).toEqual([40, 40, 20, 20]);
  await composerOf(page).fill('what is in these pictures');
  const sizeOf = () =>
    composerOf(page).evaluate((field) => Number.parseFloat(getComputedStyle(field).fontSize));
  const before = await sizeOf();
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '24px'));
  expect((await sizeOf()) / before).toBeCloseTo(1.5);
  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
  await page.getByRole('button', { name: 'Send' }).click();
  await readsSoon(page, /I see/);
  const pictures = page.getByRole('main').getByRole('img', { name: /png/ });
  await pictures.nth(1).waitFor();
  const [left, right] = [await pictures.nth(0).boundingBox(), await pictures.nth(1).boundingBox()];
  expect(left?.y).toBe(right?.y);
});

test('dark and light follow the system, and a choice outlives a reload', async () => {
  const page = await stage.openWindow({ colorScheme: 'dark' });
  const ground = () =>
    page.evaluate(() => {
      const [lightness = '0'] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/) ?? [];
      return Number(lightness) > (lightness.includes('.') ? 0.5 : 127) ? 'light' : 'dark';
    });
  await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
  expect(await ground()).toBe('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await ground()).toBe('light');
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  expect(await ground()).toBe('dark');
  await reload(page);
  expect(await ground()).toBe('dark');
});

test('who wants less motion gets none', async () => {
  const { page } = await stage.goToSession();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await composerOf(page).fill('never end');
  await page.keyboard.press('Enter');
  await readsSoon(page, /\bw3\b/);
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter((animation) => Number(animation.effect?.getComputedTiming().duration ?? 0) > 1)
      .map((animation) => String(animation.effect?.getComputedTiming().duration)),
  );
  expect(moving).toEqual([]);
  await page.keyboard.press('Escape');
  await readsSoon(page, /Interrupted/);
  await page.emulateMedia({ reducedMotion: null });
});

test('the keyboard alone begins, opens a tool card, denies and allows, and finds its way', async () => {
  const page = await stage.goTo('/');
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.keyboard.type('look at both');
  await page.keyboard.press('Enter');
  await readsSoon(page, /Looked at it\./);
  await tabTo(page, /^Tool call: look/, '[aria-label]');
  await page.keyboard.press('Enter');
  await toolCardOf(page, 'look, done').getByText('Input').first().waitFor();

  await composerOf(page).focus();
  await page.keyboard.type('pay frank');
  await page.keyboard.press('Enter');
  await approvalOf(page, 'pay', 'frank').waitFor();
  await tabTo(page, /^Approval: mcp__desk__pay/, '[aria-label]');
  await takesAnswers(approvalOf(page, 'pay', 'frank'));
  await page.keyboard.press('a');
  await readsSoon(page, /Paid frank\./);

  await transcriptOf(page).focus();
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Find/ }).waitFor();
  await page.keyboard.type('Audit');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Audit', exact: true }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Begin a new session').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count(), patience).toBe(0);
});

/** Presses Tab until what has the focus, or the section around it, has this name, and is seen to have it. */
async function tabTo(page: Page, name: RegExp, around?: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate((selector) => {
      const element = document.activeElement;
      const named = selector ? element?.closest(selector) : element;
      const outline = element ? getComputedStyle(element).outlineStyle : 'none';
      return { name: named?.getAttribute('aria-label') ?? '', outline };
    }, around);
    if (!name.test(focused.name)) continue;
    expect(focused.outline).not.toBe('none');
    return;
  }
  throw new Error(`Tab never came to ${name}`);
}
