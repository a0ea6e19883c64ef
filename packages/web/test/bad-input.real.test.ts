import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { passTime, tryAgain, withClock } from './support/clock.ts';
import { floodBytes } from './support/desk-kit.ts';
import { reload } from './support/leaving.ts';
import { logInAgain, logOut } from './support/log-in.ts';
import { countWords, slowWords } from './support/scenario.ts';
import { notLoggedIn, patienceMs, serverAway, setStage } from './support/stage.ts';
import {
  approvalOf,
  composerOf,
  isFocused,
  readsSoon,
  readText,
  readWords,
  say,
  toolCardOf,
  transcriptOf,
} from './support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };

/** What the page, and nothing in it, has done. */
async function expectUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate(() => Reflect.get(window, 'harmed') ?? 'unharmed')).toBe('unharmed');
  const main = page.getByRole('main');
  const odd =
    'script, iframe, object, embed, form[action], meta, style, img, a[href^="javascript:"], a[href^="data:"]';
  expect(await main.locator(odd).count()).toBe(0);
  expect(await main.isVisible()).toBe(true);
}

test('H11: markup, scripts, links and remote images in an answer and in an output stay words', async () => {
  const asked: string[] = [];
  const { page } = await stage.goToSession();
  page.on('request', (request) => asked.push(request.url()));
  await say(page, 'hostile words');
  await readsSoon(page, /<script>window\.harmed = "script"<\/script>/);
  await readsSoon(page, /<form action=/);
  await expectUnharmed(page);
  await say(page, 'hostile output');
  await toolCardOf(page, 'markup, done').waitFor();
  // Nothing moves under the pointer any more.
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  await toolCardOf(page, 'markup, done').getByRole('button').first().click();
  await toolCardOf(page, 'markup, done').getByText('onerror=').first().waitFor();
  await expectUnharmed(page);
  const links = await page.getByRole('main').getByRole('link').all();
  for (const link of links) {
    expect(await link.getAttribute('href')).toMatch(/^(https:\/\/evil\.example\/|\/)/);
    expect(await link.getAttribute('rel')).toBe('noreferrer noopener');
  }
  const origin = stage.server().url.replace('http:', '');
  expect(asked.filter((url) => !url.replace(/^(http|ws):/, '').startsWith(origin))).toEqual([]);
});

test('A1, A2, A3: control characters, a distant payload and invisible characters show before anybody allows', async () => {
  const { page, sessionId } = await stage.goToSession();
  await say(page, 'pay with hidden words');
  const card = approvalOf(page, 'pay', 'mallory');
  await card.waitFor();
  const text = await readText(card);
  expect(text).toMatch(/⟨[^⟩]*(1B|ESC)[^⟩]*⟩/i);
  expect(text).toMatch(/202E/i);
  expect(text).toMatch(/200B/i);
  expect(text).toMatch(/E0041/i);
  expect(text).toMatch(/the payload on line 300/);
  expect(text).toMatch(/6,\d{3}|5,000/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u200b\u202e]|\u{e0041}/u);
  const { client } = stage.server();
  const { items } = await client.approvals.list({ sessionId, state: 'pending' });
  await client.approvals.answer(items[0]?.id ?? '', { decision: 'deny' });
});

test('a tool result of 5 MB shows its ends, comes piece by piece, and the page stays quick', async () => {
  const { page } = await stage.goToSession();
  await say(page, 'flood');
  await readsSoon(page, /Looked at it\./);
  const card = toolCardOf(page, 'flood, done');
  await card.getByRole('button').first().click();
  await card.getByText('All work and no play.').first().waitFor();
  await card.getByRole('button', { name: 'Show all' }).last().click();
  await card.getByText(/of 5,\d{3},\d{3} bytes/).waitFor();
  // In place of the ends, not below them.
  await card.getByRole('region', { name: 'The whole output' }).waitFor();
  expect(await card.getByText('characters not shown').count()).toBe(0);
  const longest = await page.evaluate(async () => {
    let worst = 0;
    for (let frame = 0, before = performance.now(); frame < 30; frame++) {
      const now = await new Promise<number>(requestAnimationFrame);
      worst = Math.max(worst, now - before);
      before = now;
    }
    return worst;
  });
  expect(longest).toBeLessThan(1_500);
  expect((await page.content()).length).toBeLessThan(floodBytes / 2);
  await card.getByRole('button', { name: 'Show the end' }).click();
  const end = card.getByRole('region', { name: 'The end of the output' });
  await end.getByText('The end of it.').waitFor();
  expect(await end.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)).toBeLessThan(300);
  await card.getByRole('button', { name: 'Show the beginning' }).click();
  await card.getByRole('button', { name: 'Read more' }).waitFor();
  const downloads = page.waitForEvent('download');
  await card.getByRole('button', { name: 'Download' }).click();
  const file = await downloads;
  expect(file.suggestedFilename()).toMatch(/^out_[0-9a-f]{24}\.txt$/);
  const whole = await readFile(await file.path(), 'utf8');
  expect(whole.length).toBeGreaterThan(floodBytes - 22);
  expect(whole).toMatch(/^.{0,20}All work.*The end of it\..{0,5}$/s);
});

test('a browser whose clock is three hours wrong is told so, and times are the server’s', async () => {
  const { page } = await stage.openSession({
    prepare: (page) =>
      page.addInitScript(() => {
        const now = Date.now.bind(Date);
        Date.now = () => now() + 3 * 3_600_000;
      }),
  });
  await page.getByText(/This browser’s clock is .+ ahead of the server’s/).waitFor();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  expect(await readText(transcriptOf(page))).not.toMatch(/\b[23] h/);
});

test('a session that is deleted elsewhere says so, and leaves a way on', async () => {
  const { page, sessionId } = await stage.openSession({ expected: /404/ });
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await stage.server().client.sessions.delete(sessionId);
  await page.getByText('This session is not there').waitFor();
  await page.getByRole('link', { name: 'Begin a new one' }).click();
  await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
});

test('a message that the server refuses stays, says why, and can be edited', async () => {
  const { page } = await stage.openSession({
    prepare: (page) =>
      page.routeWebSocket(/\/api\/ws/, (line) => {
        const server = line.connectToServer();
        line.onMessage((message) => {
          const frame = JSON.parse(String(message));
          const refusal = { code: 'storage_failed', message: 'The disk is full.' };
          if (frame.type === 'message')
            line.send(JSON.stringify({ type: 'error', ref: frame.ref, error: refusal }));
          else server.send(message);
        });
      }),
  });
  await say(page, 'something important');
  await page.getByText('Not sent. The disk is full.').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await composerOf(page).inputValue()).toBe('something important');
  await reload(page);
  await composerOf(page).waitFor();
  expect(await composerOf(page).inputValue()).toBe('something important');
});

test('a login that has ended leads to the login, and after another the page goes on where it was, without a reload', async () => {
  const { page } = await stage.openSession({ expected: notLoggedIn });
  await page.evaluate(() => Reflect.set(window, 'isSameLife', true));
  await say(page, 'count slowly');
  await readsSoon(page, /\bw3\b/);
  await composerOf(page).fill('not yet sent');
  await logOut(page, stage.server());
  await page.keyboard.press('Control+k');
  await page.getByRole('button', { name: 'I have logged in' }).click();
  await page.getByText('Not yet: the server does not know this browser.').waitFor();
  expect(await page.getByRole('combobox', { name: /^Find/, includeHidden: true }).count()).toBe(0);
  await logInAgain(page, stage.server());
  await readsSoon(page, new RegExp(`\\bw${slowWords}\\b`));
  expect((await readWords(page)).join(' ')).toBe(countWords(slowWords));
  await page.getByText(/^Connected/).waitFor();
  await expect.poll(() => isFocused(composerOf(page)), patience).toBe(true);
  expect(await composerOf(page).inputValue()).toBe('not yet sent');
  await page.getByRole('button', { name: 'Send' }).click();
  await readsSoon(page, /You said: not yet sent/);
  expect(await page.evaluate(() => Reflect.get(window, 'isSameLife'))).toBe(true);
});

test('a server that is gone is said to be gone, and what was sent at the start goes out when it is back', async () => {
  const page = await stage.openWindow({ expected: serverAway, prepare: withClock });
  await page.getByRole('textbox', { name: 'Message' }).fill('hello from before');
  await page.getByText(/^Connected/).waitFor();
  await stage.server().kill();
  await page.getByText(/Reconnecting… What was sent is kept/).waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  const waiting = page.getByText('The server is away: your message is not sent yet.');
  await waiting.waitFor();
  await passTime(page, 8_000);
  await page.getByText('The server is gone. Start it again with').waitFor();
  // Whoever writes on has it back.
  await page.getByRole('textbox', { name: 'Message' }).fill('hello again');
  await expect.poll(() => waiting.count()).toBe(0);
  await page.getByRole('button', { name: 'Send' }).click();
  await waiting.waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('hello again');
  await stage.server().start();
  await tryAgain(page);
  await readsSoon(page, /You said: hello again/);
});
