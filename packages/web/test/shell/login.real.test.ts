// Who gets in: the page that followed a link, in all its tabs, until it logs out or the server moves; and nobody else,
// above all no other page of the same host name.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { logInAgain } from '../support/log-in.ts';
import { startPreview } from '../support/preview.ts';
import { notLoggedIn, patienceMs, serverAway, setStage } from '../support/stage.ts';
import { answer, approvalOf, readsSoon, say } from '../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const start = { name: 'What shall we work on?' };
const loggedOut = { name: 'You are logged out' };

/** The login that this origin keeps in the browser. */
function readSecret(page: Page): Promise<string | undefined> {
  return page.evaluate(async () => {
    const toResult = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve) => {
        request.onsuccess = () => resolve(request.result);
      });
    const database = await toResult(indexedDB.open('toolyard.login'));
    const [secret] = await toResult(database.transaction('login').objectStore('login').getAll());
    database.close();
    return secret;
  });
}

test('a link logs in once, without a cookie, and leaves nothing of itself in an address', async () => {
  const link = await stage.server().loginLink();
  const code = new URL(link).hash.slice('#login='.length);
  const page = await stage.openStranger({ expected: notLoggedIn });
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())}`));
  page.on('framenavigated', (frame) => sent.push(frame.url().replace(/#login=.*/, '')));
  await page.getByRole('heading', loggedOut).waitFor();
  await page.getByText(`This browser has no login for ${new URL(link).host}.`).waitFor();
  // In the same tab only the fragment changes: nothing is loaded anew.
  await page.evaluate(() => Reflect.set(window, 'isSameLife', true));
  const answered = page.waitForResponse(/\/api\/login$/);
  await page.goto(link);
  const { secret } = await (await answered).json();
  await page.getByRole('heading', start).waitFor();
  await page.getByText(/^Connected/).waitFor();
  expect(await page.evaluate(() => Reflect.get(window, 'isSameLife'))).toBe(true);
  expect([page.url(), await page.evaluate(() => document.cookie)]).toEqual([`${stage.server().url}/`, '']);
  expect(await page.context().cookies()).toEqual([]);
  expect(sent.filter((each) => each.includes(code))).toEqual([]);
  expect(sent.filter((each) => each.split(' ')[0]?.includes(secret))).toEqual([]);
  expect(await readSecret(page)).toBe(secret);

  const other = await stage.openStranger({ path: `/#login=${code}`, expected: notLoggedIn });
  await other.getByText('That link was used already: each works once.').waitFor();
  const unknown = await stage.openStranger({ path: '/#login=nonsense', expected: notLoggedIn });
  await unknown.getByText('The server does not know that link').waitFor();
  await unknown.goto(link);
  await unknown.getByText('That link was used already').waitFor();
  // Whoever is logged in stays so, whatever link they are led to.
  await page.goto(`${stage.server().url}/inbox#login=${code}`);
  await page.getByText(/^Connected/).waitFor();
  expect(await page.getByRole('heading', loggedOut).count()).toBe(0);
});

test('a preview on another port gets nothing of the login, and cannot answer the approval of its own agent', async () => {
  const { url, client } = stage.server();
  const preview = await startPreview();
  const page = await stage.openWindow({ expected: /.*/ });
  const secret = await readSecret(page);
  const { id: sessionId } = await client.sessions.create({ engine: 'native' });
  await client.sessions.send(sessionId, 'pay mallory');
  const pending = async () => (await client.approvals.list({ state: 'pending', sessionId })).items;
  await expect.poll(async () => (await pending()).length, patience).toBe(1);
  const [approval] = await pending();

  // The person looks at the preview, which tries what a page can.
  const look = await page.context().newPage();
  await look.goto(preview.url);
  const tried = await look.evaluate(tryEverything, { url, approvalId: approval?.id ?? '' });
  expect(tried).toEqual({
    'approve by fetch': 'TypeError',
    'approve as a form': 'sent blindly',
    'read sessions': 'TypeError',
    'read the page': 'TypeError',
    'open the socket': 'error',
    'read what is stored': '[]',
    'read cookies': '',
    'look into a window of it': 'SecurityError',
  });
  // A frame of it stays empty.
  const frame = look.frames().find((each) => each !== look.mainFrame());
  expect(await frame?.locator('#root').count()).toBe(0);

  // What reached the preview's server is of no use there either: it sends all of it back as if it were the page.
  const received = preview.seen.map((headers) => JSON.stringify(headers)).join('\n');
  expect(received).not.toContain(secret);
  for (const cookie of [...preview.seen.map((headers) => headers.cookie ?? ''), `toolyard=${secret}`]) {
    const { status } = await fetch(`${url}/api/approvals/${approval?.id}`, {
      method: 'POST',
      headers: { cookie, origin: url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'allow' }),
    });
    expect(status).toBe(401);
  }
  expect(await pending()).toMatchObject([{ id: approval?.id, state: 'pending' }]);

  // The cookie that the preview left changes nothing for the person, and is cleared.
  await page.goto(`${url}/sessions/${sessionId}`);
  await answer(approvalOf(page, 'pay', 'mallory'), 'Deny');
  expect((await page.context().cookies()).map(({ name }) => name)).toEqual([]);
});

/** Runs in the preview: every way to our server that a page has. */
async function tryEverything({ url, approvalId }: { url: string; approvalId: string }) {
  const outcome = async (attempt: () => Promise<unknown>) => {
    try {
      return String(await attempt());
    } catch (thrown) {
      return thrown instanceof Error || thrown instanceof DOMException ? thrown.name : String(thrown);
    }
  };
  const approve = { method: 'POST', credentials: 'include', body: '{"decision":"allow"}' } as const;
  const address = `${url}/api/approvals/${approvalId}`;
  const json = { 'content-type': 'application/json' };
  return {
    // But for its own, which our server clears as soon as it sees it.
    'read cookies': await outcome(async () => document.cookie.replace('toolyard=forged', '')),
    'approve by fetch': await outcome(() => fetch(address, { ...approve, headers: json })),
    'approve as a form': await outcome(async () => {
      await fetch(address, { ...approve, mode: 'no-cors', headers: { 'content-type': 'text/plain' } });
      return 'sent blindly';
    }),
    'read sessions': await outcome(() => fetch(`${url}/api/sessions`, { credentials: 'include' })),
    'read the page': await outcome(() => fetch(url, { credentials: 'include' })),
    'open the socket': await outcome(
      () =>
        new Promise((resolve) => {
          const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`, ['toolyard.v1']);
          socket.onopen = () => resolve('open');
          socket.onerror = () => resolve('error');
        }),
    ),
    'read what is stored': await outcome(async () =>
      JSON.stringify([
        ...(await indexedDB.databases()).map(({ name }) => name),
        ...Object.values(localStorage),
      ]),
    ),
    'look into a window of it': await outcome(async () => {
      const frame = document.createElement('iframe');
      frame.src = url;
      document.body.append(frame);
      await new Promise((resolve) => {
        frame.onload = resolve;
      });
      return frame.contentWindow?.document.title;
    }),
  };
}

test('tabs and reloads stay logged in, files are saved, and logging out ends it everywhere', async () => {
  const { url } = stage.server();
  const { page, sessionId: id } = await stage.openSession({ expected: notLoggedIn });
  const secret = await readSecret(page);
  await page.reload();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);

  for (const [name, text] of [
    ['Export as Markdown', '# '],
    ['Export as JSON', '"user_message"'],
  ] as const) {
    await page.getByRole('button', { name: 'More about this conversation' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe(`${id}.${text === '# ' ? 'md' : 'json'}`);
    expect(await readFile(await file.path(), 'utf8')).toContain(text);
  }

  const other = await page.context().newPage();
  await other.goto(`${url}/inbox`);
  await other.getByText(/^Connected/).waitFor();
  const isKnown = async () =>
    (await fetch(`${url}/api/sessions`, { headers: { authorization: `Bearer ${secret}`, origin: url } })).ok;
  expect(await isKnown()).toBe(true);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Find/ }).fill('log out');
  await page.keyboard.press('Enter');
  for (const tab of [page, other]) await tab.getByRole('heading', loggedOut).waitFor();
  expect(await isKnown()).toBe(false);
  expect(await readSecret(page)).toBeUndefined();
  await page.reload();
  await page.getByText(`This browser has no login for ${new URL(url).host}.`).waitFor();

  // A login in one tab is one in all.
  await logInAgain(page, stage.server());
  await other.getByRole('heading', loggedOut).waitFor({ state: 'detached' });
});

test('a server that moves to another port asks for another login there, and again when it comes back', async () => {
  const server = stage.server();
  const page = await stage.openWindow({
    expected: new RegExp(`${notLoggedIn.source}|${serverAway.source}`),
  });
  const before = server.url;
  const port = Number(new URL(before).port);
  onTestFinished(async () => {
    if (server.url !== before) await server.move(port);
  });
  await server.move(0);
  await page.goto(server.url);
  await page.getByText(`This browser has no login for ${new URL(server.url).host}.`).waitFor();
  await server.move(port);
  await page.goto(before);
  await page.getByText(`The login for 127.0.0.1:${port} has ended.`).waitFor();
});
