import { expect, test } from 'vitest';
import { tryAgain, withClock } from './support/clock.ts';
import { cutLine } from './support/cut-line.ts';
import { reload } from './support/leaving.ts';
import { patienceMs, serverAway, setStage } from './support/stage.ts';
import { composerOf, readsSoon, say } from './support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };

test('a draft outlives its session: it is shown, and goes along to a new one with its image; elsewhere it is a press away', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { page, sessionId } = await stage.openSession({
    expected: /404/,
    // Another screen is long in coming: the words are told of all the same.
    prepare: (page) =>
      page.route(/\/assets\/tools-screen-/, (route) => released.then(() => route.continue())),
  });
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await composerOf(page).fill('half a thought\nin two lines');
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const dot = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') };
  await page.locator('input[type=file]').setInputFiles(dot);
  await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
  await stage.server().client.sessions.delete(sessionId);
  await page.getByText('This session is not there').waitFor();
  const leftover = page.getByRole('region', { name: /^What you wrote here was not sent/ });
  expect(await leftover.innerText()).toContain('half a thought\nin two lines');
  await leftover.getByRole('button', { name: 'Take it to a new session' }).click();
  await composerOf(page).waitFor();
  expect(page.url()).not.toContain(sessionId);
  expect(await composerOf(page).inputValue()).toBe('half a thought\nin two lines');
  await page.getByRole('button', { name: 'Send' }).click();
  await readsSoon(page, /I see \[image, .+ png\]/);

  const nextId = page.url().split('/').at(-1) ?? '';
  await composerOf(page).fill('for later');
  await page.getByRole('link', { name: 'Tools' }).first().click();
  await stage.server().client.sessions.delete(nextId);
  await page.getByText('had words of yours that were not sent').first().waitFor();
  release();
  await page.getByRole('button', { name: 'Show them' }).click();
  await page
    .getByRole('region', { name: /^What you wrote here was not sent/ })
    .getByText('for later')
    .waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByText('for later').count()).toBe(0);
});

test('a message written while the server is away says that it waits, and goes out by itself', async () => {
  const { page, sessionId } = await stage.openSession({
    expected: new RegExp(`404|${serverAway.source}`),
    prepare: withClock,
  });
  await composerOf(page).waitFor();
  await stage.server().kill();
  await page.getByText('Reconnecting…').first().waitFor();
  await say(page, 'written while it was away');
  await readsSoon(page, /Waits for the server/);
  await page.getByText(/goes out when the server is back/).waitFor();
  // What waits can be taken back: then it is never sent.
  await say(page, 'second thoughts');
  await page.getByRole('button', { name: 'Discard' }).nth(1).click();
  await say(page, 'to be mended');
  await page.getByRole('button', { name: 'Edit' }).nth(1).click();
  expect(await composerOf(page).inputValue()).toBe('to be mended');
  await stage.server().start();
  await tryAgain(page);
  await readsSoon(page, /You said: written while it was away/);
  await say(page, 'mended');
  await readsSoon(page, /You said: mended/);
  const { client } = stage.server();
  const whole = await new Response(await client.sessions.export(sessionId)).text();
  expect(whole.match(/You said: .+/g)).toEqual(['You said: written while it was away', 'You said: mended']);
});

test('what cannot reach its session while another screen is open is told, also when nobody heard why', async () => {
  const { client } = stage.server();
  const [waiting, refused] = await Promise.all(
    ['the waiting one', 'the refusing one'].map((title) => client.sessions.create({ title })),
  );
  let line: Awaited<ReturnType<typeof cutLine>> | undefined;
  const { page, sessionId } = await stage.openSession({
    expected: /404|426/,
    prepare: async (page) => {
      line = await cutLine(page, { refused: 'refuse this' });
    },
  });
  await composerOf(page).fill('a draft for later');
  await page.getByText(/^Connected/).waitFor();
  await line?.cut();
  for (const [title, words] of [
    ['the waiting one', 'this was promised'],
    ['the refusing one', 'refuse this'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Sessions' }).getByText(title).click();
    await page.getByRole('heading', { name: title }).waitFor();
    await say(page, words);
    await readsSoon(page, /Waits for the server/);
  }
  await page.getByRole('link', { name: 'Usage' }).first().click();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  for (const id of [sessionId, waiting?.id ?? '']) await client.sessions.delete(id);
  line?.mend();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));

  const show = page.getByRole('button', { name: 'Show them' });
  await expect.poll(() => show.count(), patience).toBe(2);
  await page.getByText('A message was not taken').first().waitFor();
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.getByText('Not sent. The disk is full.').waitFor();
  expect(page.url()).toContain(refused?.id);
  await show.first().click();
  const leftover = page.getByRole('region', { name: /^What you wrote here was not sent/ });
  await leftover.getByText(/a draft for later|this was promised/).waitFor();
  expect(await show.count()).toBe(1);

  // Whoever comes back to it later is told of the other one.
  await leftover.getByRole('button', { name: 'Discard' }).click();
  await page.goto(`${stage.server().url}/usage`);
  await expect.poll(() => show.count(), patience).toBe(1);
  await show.click();
  await leftover.getByText(/a draft for later|this was promised/).waitFor();
});

test('a message that was under way is not taken back after a reload, and is kept when its session went', async () => {
  let isCut = false;
  const { page, sessionId } = await stage.openSession({
    expected: /404|426/,
    // It never arrives.
    prepare: (page) =>
      page.routeWebSocket(/\/api\/ws/, (line) => {
        if (isCut) return void line.close();
        const server = line.connectToServer();
        line.onMessage((message) => {
          if (!String(message).startsWith('{"type":"message"')) server.send(message);
        });
      }),
  });
  await say(page, 'under way');
  await readsSoon(page, /Sending/);
  isCut = true;
  await reload(page);
  await readsSoon(page, /under way/);
  await readsSoon(page, /Waits for the server/);
  expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0);
  isCut = false;
  await reload(page);
  await readsSoon(page, /Sending/);
  await composerOf(page).fill('and a draft');
  await stage.server().client.sessions.delete(sessionId);
  const leftover = page.getByRole('region', { name: /^What you wrote here was not sent/ });
  await leftover.waitFor();
  expect(await leftover.innerText()).toContain('under way\n\nand a draft');
});
