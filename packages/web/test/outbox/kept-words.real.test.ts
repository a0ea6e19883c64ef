import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { tryAgain, withClock } from '../support/clock.ts';
import { goWithin, reload } from '../support/leaving.ts';
import { hasAnswer } from '../support/requests.ts';
import { setStage } from '../support/stage.ts';
import { composerOf, readsSoon, say } from '../support/talk.ts';

const stage = setStage();
const messages = /\/api\/sessions\/[^/]+\/messages$/;
const broken = { expected: /ERR_/ };

/** One that a frame cannot hold: its head is an image's, and nobody looks at the rest. */
const picture = {
  name: 'large.png',
  mimeType: 'image/png',
  buffer: Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    Buffer.alloc(850_000),
  ]),
};

async function attach(page: Page): Promise<void> {
  await composerOf(page).waitFor();
  await page.locator('input[type=file]').setInputFiles(picture);
  await page.getByRole('button', { name: 'Remove large.png' }).waitFor();
}

/** What the people of a session said, in the order of its log. */
async function readSaid(sessionId: string): Promise<string[]> {
  const said: string[] = [];
  const { client } = stage.server();
  const { lastSeq } = await client.sessions.get(sessionId);
  for await (const event of client.sessions.events(sessionId)) {
    if (event.type === 'user_message') said.push(JSON.stringify(event.data.content).slice(0, 60));
    if (event.seq >= lastSeq) break;
  }
  return said;
}

const start = (page: Page) => page.getByRole('textbox', { name: 'Message' });

test('what is said after a large message comes after it', async () => {
  const { page, sessionId } = await stage.goToSession();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(messages, (route) => released.then(() => route.continue()));
  await attach(page);
  await say(page, 'first, with a picture');
  await say(page, 'and second');
  // It would have arrived by now, if it went beside the first.
  await readsSoon(page, /and second/);
  await hasAnswer(page);
  release();
  await expect.poll(() => readSaid(sessionId), { timeout: 20_000 }).toHaveLength(2);
  expect(await readSaid(sessionId)).toEqual([
    expect.stringContaining('first, with a picture'),
    '"and second"',
  ]);
});

test('neither a suggestion nor the beginning of a session takes words that were typed', async () => {
  const held: Route[] = [];
  const hold = (route: Route) =>
    route.request().method() === 'POST' ? void held.push(route) : route.continue();
  const next = () => expect.poll(() => held.length, { timeout: 20_000 }).toBe(1);
  const release = () => held.pop()?.continue();
  const page = await stage.goTo('/');
  await page.route(/\/api\/sessions$/, hold);
  await start(page).fill('my own words');
  await page.getByRole('button', { name: /^Watch tools run/ }).click();
  await next();
  await release();
  await composerOf(page).waitFor();
  await page.getByRole('button', { name: 'New session' }).first().click();
  await start(page).waitFor();
  expect(await start(page).inputValue()).toBe('my own words');
  await start(page).press('Enter');
  await next();
  await start(page).press('End');
  await start(page).pressSequentially(' and more');
  await release();
  await composerOf(page).waitFor();
  await readsSoon(page, /my own words/);
  expect(await composerOf(page).inputValue()).toBe('and more');
});

test('from an address that is not secure, messages are sent and words are copied', async () => {
  const { page } = await stage.openSession({
    prepare: (page) =>
      page.addInitScript(() => {
        Reflect.deleteProperty(Crypto.prototype, 'randomUUID');
        Reflect.deleteProperty(Navigator.prototype, 'clipboard');
        document.addEventListener('copy', (event) => {
          document.documentElement.dataset.copied = event.clipboardData?.getData('text/plain');
        });
      }),
  });
  await say(page, 'hello from afar');
  await readsSoon(page, /You said: hello from afar/);
  await page.getByRole('button', { name: 'Copy message' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.locator('html').getAttribute('data-copied')).toBe('hello from afar');
});

test('what the browser cannot keep over a reload is said before, and asked about', async () => {
  const { page } = await stage.openSession({
    prepare: (page) =>
      page.addInitScript(() => {
        IDBFactory.prototype.open = () => {
          throw new DOMException('no room', 'UnknownError');
        };
        const setItem = Storage.prototype.setItem;
        Storage.prototype.setItem = function (name, value) {
          if (name.startsWith('toolyard.draft.')) throw new DOMException('no room', 'QuotaExceededError');
          setItem.call(this, name, value);
        };
      }),
  });
  await attach(page);
  await page.getByText(/^Your browser has no room to keep it/).waitFor();
  await composerOf(page).fill('and words');
  await page.getByText(/^Your browser has no room to keep these words/).waitFor();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  expect(asked).toEqual(['beforeunload']);
  await page.getByText('large.png was not kept over the reload. Add it again.').waitFor();
});

test('a large message waits for a server that cannot be reached, outlives a reload and goes out once', async () => {
  const { page, sessionId } = await stage.openSession({ ...broken, prepare: withClock });
  let isAway = true;
  await page.route(messages, (route) => (isAway ? route.abort('connectionrefused') : route.continue()));
  await attach(page);
  await composerOf(page).fill('look at this');
  await reload(page);
  await page.getByRole('button', { name: 'Remove large.png' }).waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await readsSoon(page, /look at this[\s\S]*Sending/);
  await reload(page);
  await readsSoon(page, /look at this[\s\S]*Sending/);
  expect(await page.getByText('Not sent').count()).toBe(0);
  // Also while another screen is open.
  await page.goto(`${stage.server().url}/tools`);
  isAway = false;
  // A try that failed just before may set its pause only now: time is moved on until the next one.
  const readLater = async () => {
    await tryAgain(page);
    return readSaid(sessionId);
  };
  await expect.poll(readLater, { timeout: 20_000 }).toHaveLength(1);
  await goWithin(page, `/sessions/${sessionId}`);
  await readsSoon(page, /I see \[image, .+ png\]/);
  expect(await page.getByRole('button', { name: 'Remove large.png' }).count()).toBe(0);
  expect(await readSaid(sessionId)).toHaveLength(1);
});

test('a refused message that is edited has its image again', async () => {
  const { page } = await stage.openSession({ expected: /413/ });
  const json = { error: { code: 'too_large', message: 'It is too large.' } };
  await page.route(messages, (route) => route.fulfill({ status: 413, json }));
  await attach(page);
  await say(page, 'look at this');
  await page.getByRole('alert').getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Remove it' }).waitFor();
  expect(await composerOf(page).inputValue()).toBe('look at this');
});

test('a first message that was taken, but whose answer was lost, is tried again without being doubled', async () => {
  let isFirst = true;
  const loseFirst = async (route: Route) => {
    const response = await route.fetch();
    if (isFirst) await route.abort('connectionreset');
    else await route.fulfill({ response });
    isFirst = false;
  };
  const page = await stage.openWindow({ ...broken, prepare: (page) => page.route(messages, loseFirst) });
  await start(page).fill('only once, please');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The message was not sent. It is still here.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await readsSoon(page, /You said: only once, please/);
  expect(await readSaid(page.url().split('/').at(-1) ?? '')).toEqual(['"only once, please"']);
});
