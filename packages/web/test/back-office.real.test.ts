// Tools, audit, usage and settings in a real browser.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';

import { asksBeforeLeaving } from './support/leaving.ts';
import { patienceMs, setStage } from './support/stage.ts';
import { answer, approvalOf } from './support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
/** What the browser itself says of a refused change. */
const refused = /400/;

test('the matrix shows the deciding rule for every role, and another mode changes it', async () => {
  const page = await stage.goTo('/tools');
  const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: /get_server_info/ }) });
  await expect.poll(() => row.textContent(), patience).toContain('tier session, by the tool');
  expect(await row.textContent()).toContain('category coding has readonly access');
  await page.getByRole('searchbox', { name: 'Filter tools' }).fill('get_server');
  await expect.poll(() => page.getByRole('rowheader').count(), patience).toBe(2);
  await page.getByRole('combobox', { name: 'Permission mode' }).click();
  await page.getByRole('option', { name: /Bypass/ }).click();
  await expect.poll(() => row.textContent(), patience).toContain('bypassPermissions');
  expect(page.url()).toContain('mode=bypassPermissions');
});

test('a tool is tried: its form, the approval it needs, and its answer', async () => {
  const page = await stage.goTo('/tools?tool=mcp__desk__pay');
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Call it' }).click();
  await page.getByText('It needs a value.').first().waitFor();
  await page.getByRole('textbox', { name: /^to/ }).fill('frank');
  await page.getByRole('textbox', { name: /^note/ }).fill('lunch');
  expect(await asksBeforeLeaving(page)).toBe(true);
  await page.mouse.click(5, 5);
  await page.getByRole('button', { name: 'Call it' }).click();
  await answer(approvalOf(page, 'pay', 'frank'), 'Allow once');
  await page.getByRole('region', { name: 'What it answered' }).getByText('done').waitFor();
  expect(await asksBeforeLeaving(page)).toBe(false);
  await page.getByRole('link', { name: 'In the audit' }).click();
  await page.getByRole('row', { name: /decision .*pay.* allowed/ }).waitFor();
});

test('evidence is searched, opened whole, and shown as broken when it is', async () => {
  const { client, home } = stage.server();
  await client.tools.call('mcp__toolyard__ping', { mode: 'bypassPermissions' });
  const page = await stage.goTo('/audit');
  await page.getByText(/^Whole: \d+ rows?$/).waitFor();
  await page.getByRole('searchbox', { name: 'Search the evidence' }).fill('ping');
  const row = page.getByRole('row', { name: /decision ping/ });
  await row.getByRole('button').click();
  await page.getByRole('dialog').getByText('Hash of the row').waitFor();
  await page.keyboard.press('Escape');
  const database = new DatabaseSync(join(home, 'toolyard.db'));
  onTestFinished(() => database.close());
  const write = database.prepare('UPDATE audit SET body = replace(body, ?, ?) WHERE seq = 1');
  write.run('"at"', '"At"');
  await page.getByRole('button', { name: 'Verify again' }).click();
  await page.getByText(/^Broken at row 1 of/).waitFor();
  write.run('"At"', '"at"');
});

test('usage is read by keyboard, and as a table; a rehearsal is free', async () => {
  const { client } = stage.server();
  const { id } = await client.sessions.create({ engine: 'native' });
  await client.sessions.send(id, 'hello');
  await expect.poll(async () => (await client.usage.read()).total.turns, patience).toBeGreaterThan(0);
  const page = await stage.goTo('/usage');
  await page.getByText('a rehearsal costs nothing').waitFor();
  const bars = page.getByRole('toolbar', { name: /Tokens by role/ });
  await bars.getByRole('button').last().focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowRight');
  await page.getByText(/· \S+ tokens$/).waitFor();
  await page.getByRole('radio', { name: 'Table' }).click();
  await page
    .getByRole('cell', { name: /tokens$/ })
    .first()
    .waitFor();
});

test('a wrong value is marked at its field, nothing is saved, and a right one counts at once', async () => {
  const { client, home } = stage.server();
  const page = await stage.openWindow({ path: '/settings', expected: refused });
  await page.getByLabel('limits.maxSteps').fill('0');
  await page.getByLabel('output.maxBytes').fill('20480');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Nothing was saved: look at what is marked.').waitFor();
  expect(await page.getByLabel('limits.maxSteps').getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('tab', { name: 'Doctor' }).click();
  expect(await asksBeforeLeaving(page)).toBe(true);
  await page.getByRole('tab', { name: 'Configuration' }).click();
  expect(await page.getByLabel('output.maxBytes').inputValue()).toBe('20480');
  await page.getByLabel('limits.maxSteps').fill('33');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('It counts from now on.').first().waitFor();
  expect(await asksBeforeLeaving(page)).toBe(false);
  expect(await readFile(join(home, 'config.yaml'), 'utf8')).toContain('maxSteps: 33');
  const { items } = await client.audit.list({ order: 'desc', kind: 'change', q: 'limits.maxSteps' });
  expect(items.map(({ actor }) => actor.via)).toEqual(['web']);
});

test('a token is shown once and can be revoked', async () => {
  const page = await stage.goTo('/settings?tab=tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('my laptop');
  await page.getByRole('button', { name: 'Make it' }).click();
  await page.getByRole('dialog', { name: 'Copy it now' }).getByText(/^tyd_/).waitFor();
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('button', { name: 'Revoke my laptop' }).click();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('The token is revoked').first().waitFor();
  await expect.poll(() => page.getByRole('rowheader', { name: 'my laptop' }).count(), patience).toBe(0);
});

test('a workspace is trusted with the hash of what was shown, and what changed since is refused', async () => {
  const { client, work } = stage.server();
  await writeFile(join(work, 'toolyard.yaml'), 'limits:\n  maxSteps: 900\n');
  const page = await stage.openWindow({ path: '/settings?tab=trust', expected: /409/ });
  const card = page.getByRole('region', { name: work });
  await card.getByText('limits.maxSteps: 900').waitFor();
  const trust = async () => {
    await card.getByRole('button', { name: 'Trust it' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Trust it' }).click();
  };
  await writeFile(join(work, 'toolyard.yaml'), 'limits:\n  maxSteps: 901\n');
  await trust();
  await page.getByText('It was not trusted').first().waitFor();
  await card.getByText('limits.maxSteps: 901').waitFor();
  await trust();
  await card.getByText('trusted', { exact: true }).waitFor();
  expect((await client.trust.look({ cwd: work })).trusted).toBe(true);
});
