import { expect, test } from 'vitest';
import { notLoggedIn, patienceMs, serverAway, setStage } from './support/stage.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const notThere = new RegExp(`404|${notLoggedIn.source}`);

test('an address that nothing has is told on the page, with a way on', async () => {
  const page = await stage.openWindow({ path: '/nope/nothing', expected: notThere });
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  await page.getByText('/nope/nothing').waitFor();
  await page.getByRole('link', { name: 'To the start' }).click();
  await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
});

test('sessions of single tool calls are not among the conversations, until they are asked for', async () => {
  const { client } = stage.server();
  await client.tools.call('mcp__desk__look', { input: { at: 'tea' }, role: 'assistant' });
  await client.sessions.create({ engine: 'native', title: 'A conversation' });
  const page = await stage.openWindow();
  const list = page.getByRole('navigation', { name: 'Sessions' });
  await list.getByText('A conversation').waitFor();
  expect(await list.getByText(/· direct/).count()).toBe(0);
  await list.getByRole('button', { name: 'Show 1 single tool call' }).click();
  await list.getByText(/· direct/).waitFor();
  await list.getByRole('button', { name: 'Hide single tool calls' }).click();
  expect(await list.getByText(/· direct/).count()).toBe(0);
});

test('a server that is gone is asked less and less often, and at once when somebody comes back', async () => {
  const tries: number[] = [];
  const page = await stage.openWindow({
    expected: serverAway,
    prepare: async (page) => page.on('websocket', () => tries.push(Date.now())),
  });
  await page.getByText(/^Connected/).waitFor();
  await stage.server().kill();
  const goneAt = Date.now();
  const after = () => tries.map((at) => at - goneAt).filter((ms) => ms > 0);
  await expect.poll(() => after().length, patience).toBeGreaterThan(2);
  // The third comes after a quarter of a second, half a one and a whole one, each shortened by a quarter at most.
  expect(after()[2]).toBeGreaterThan(1_000);
  await stage.server().start();
  const before = tries.length;
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await page.getByText(/^Connected/).waitFor({ timeout: 3_000 });
  expect(tries.length).toBeGreaterThan(before);
});
