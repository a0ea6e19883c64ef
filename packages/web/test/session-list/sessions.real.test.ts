import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { goWithin, reload } from '../support/leaving.ts';
import { patienceMs, setStage } from '../support/stage.ts';
import { composerOf, draw, readsSoon, say } from '../support/talk.ts';

const stage = setStage();
const patience = { timeout: patienceMs };
const listOf = (page: Page): Locator => page.getByRole('navigation', { name: 'Sessions' });

async function choose(page: Page, title: string, action: string): Promise<void> {
  const row = listOf(page).getByRole('listitem').filter({ hasText: title });
  await row.hover();
  await row.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('a session is renamed, forked, deleted and brought back', async () => {
  const { page, sessionId } = await stage.goToSession();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await choose(page, 'hello there', 'Rename');
  await page.getByRole('dialog').getByRole('textbox').fill('Greetings');
  await page.keyboard.press('Enter');
  await listOf(page).getByText('Greetings').waitFor();

  // From the filter into the list and back, and to the first that fits.
  const filter = page.getByRole('textbox', { name: 'Filter sessions' });
  const focused = () => page.evaluate(() => document.activeElement?.outerHTML ?? '');
  await goWithin(page, '/inbox');
  await listOf(page).getByText('Greetings').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('greet');
  await expect
    .poll(() => listOf(page).getByRole('link').first().innerText(), patience)
    .toContain('Greetings');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toContain(sessionId);
  await page.keyboard.press('ArrowUp');
  expect(await focused()).toContain('Filter sessions');
  // By a fast hand: before what was typed is drawn.
  await filter.evaluate((field: HTMLInputElement) => {
    field.select();
    document.execCommand('insertText', false, 'Greetings');
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  });
  await readsSoon(page, /You said: hello there/);
  await filter.fill('');

  await choose(page, 'Greetings', 'Fork');
  await expect.poll(() => page.url(), patience).not.toContain(sessionId);
  await readsSoon(page, /You said: hello there/);
  const forkId = page.url().split('/').at(-1) ?? '';
  const { forkedFrom } = await stage.server().client.sessions.get(forkId);
  expect(forkedFrom?.sessionId).toBe(sessionId);

  await goWithin(page, `/sessions/${sessionId}`);
  await readsSoon(page, /You said: hello there/);
  const titles = () => listOf(page).getByRole('link').count();
  await expect.poll(titles, patience).toBe(2);
  await listOf(page).locator(`a[href$="${sessionId}"]`).focus();
  await page.keyboard.press('Delete');
  await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor();
  await expect.poll(titles, patience).toBe(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(titles, patience).toBe(2);
  await readsSoon(page, /You said: hello there/);
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** As if it came from the desktop. */
async function drop(on: Locator, name: string): Promise<void> {
  const dataTransfer = await on.page().evaluateHandle(
    ([name, data]) => {
      const given = new DataTransfer();
      given.items.add(new File([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], name));
      return given;
    },
    [name, png.toString('base64')] as const,
  );
  await on.dispatchEvent('drop', { dataTransfer });
}

test('an image goes along with the words, from the start, too, wherever it is dropped', async () => {
  const page = await stage.goTo('/');
  await drop(page.getByRole('heading', { name: 'What shall we work on?' }), 'first.png');
  await page.getByRole('button', { name: 'Remove first.png' }).waitFor();
  await drop(page.getByRole('heading', { name: 'What shall we work on?' }), 'second.png');
  await page.getByRole('button', { name: 'Remove second.png' }).click();
  await reload(page);
  await page.getByRole('button', { name: 'Remove first.png' }).waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await readsSoon(page, /I see \[image, .+ png\]/);
  expect(await page.getByRole('main').getByRole('img').count()).toBe(1);
  await page.getByRole('button', { name: 'New session' }).first().click();
  expect(await page.getByRole('button', { name: 'Remove first.png' }).count()).toBe(0);
  await page.goBack();

  const empty = (at: number) => ({
    name: `empty-${at}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.alloc(0),
  });
  const note = (at: number) => ({
    name: `note-${at}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from('hi'),
  });
  const notes = Array.from({ length: 11 }, (_, at) => note(at + 1));
  await page.locator('input[type=file]').setInputFiles([empty(1), empty(2), ...notes]);
  const refused = page.getByRole('alert').filter({ hasText: 'empty-1.txt is empty. empty-2.txt is empty.' });
  await refused.getByText(/10 images and files at most. Left out: note-11.txt\.$/).waitFor();
  const removes = page.getByRole('button', { name: /^Remove note-/ });
  expect(await removes.count()).toBe(10);
  while ((await removes.count()) > 0) await removes.first().click();

  await drop(page.getByRole('region', { name: 'Conversation' }), 'dot.png');
  await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
  await composerOf(page).fill('what is in this picture');
  await page.getByRole('button', { name: 'Send' }).click();
  await readsSoon(page, /I see \[image, .+ png\]/);
  await page.getByRole('main').getByRole('img').first().waitFor();
});

test('to run everything unasked is confirmed and red, at the start and in the dialog, too', async () => {
  const page = await stage.goTo('/');
  const chosen = page.getByRole('main').getByRole('combobox', { name: 'Mode' });
  const choose = async (mode: Locator, answer: string) => {
    await mode.click();
    await page.getByRole('option', { name: /bypass/i }).click();
    const asked = page.getByRole('alertdialog', { name: 'Run everything unasked?' });
    await asked.getByRole('button', { name: answer }).click();
    await expect.poll(() => asked.count(), patience).toBe(0);
  };
  const isRed = (mode: Locator) => mode.evaluate((element) => element.classList.contains('text-bad'));
  await choose(chosen, 'Cancel');
  expect([await chosen.innerText(), await isRed(chosen)]).toEqual(['Role’s mode', false]);
  await choose(chosen, 'Bypass permissions');
  expect([await chosen.innerText(), await isRed(chosen)]).toEqual(['Mode: bypass', true]);

  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'New session…' }).click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  const inDialog = dialog.getByRole('combobox', { name: 'Mode', exact: true });
  await choose(inDialog, 'Cancel');
  expect([await inDialog.innerText(), await isRed(inDialog)]).toEqual(['As the role says', false]);
  await choose(inDialog, 'Bypass permissions');
  expect([await inDialog.innerText(), await isRed(inDialog)]).toEqual(['Bypass', true]);
  await dialog.getByRole('button', { name: 'Create' }).click();
  const inConversation = page.getByRole('combobox', { name: 'Permission mode' });
  await inConversation.waitFor();
  expect([await inConversation.innerText(), await isRed(inConversation)]).toEqual(['Bypass', true]);
});

test('what was written before comes back with the arrow keys, what was typed over it stays, and the mode is switched while it works', async () => {
  const { page, sessionId } = await stage.goToSession();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  await composerOf(page).press('ArrowUp');
  expect(await composerOf(page).inputValue()).toBe('hello there');
  // As dictation and input methods do: no key that says what was written.
  await page.keyboard.insertText(', and dictated words');
  await composerOf(page).press('ArrowDown');
  await composerOf(page).press('ArrowUp');
  expect(await composerOf(page).inputValue()).toBe('hello there, and dictated words');
  await composerOf(page).fill('never end');
  await composerOf(page).press('Enter');
  await readsSoon(page, /\bw3\b/);
  await page.getByRole('combobox', { name: 'Permission mode' }).click();
  await page.getByRole('option', { name: /^Plan/ }).click();
  const mode = async () => (await stage.server().client.sessions.get(sessionId)).mode;
  await expect.poll(mode, patience).toBe('plan');
  const command = async (words: string, name: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Find/ }).fill(words);
    await page.getByRole('option', { name }).click();
  };
  await command('accept', 'Mode: accept edits');
  await expect.poll(mode, patience).toBe('acceptEdits');
  await command('stop', 'Stop the turn');
  await readsSoon(page, /Interrupted/);
});

test('an open menu stays open while its session begins to work, and what is chosen is done', async () => {
  const { page, sessionId } = await stage.openSession({ expected: /404/ });
  await say(page, 'soon at work');
  await readsSoon(page, /You said: soon at work/);
  const row = listOf(page)
    .getByRole('region', { name: 'Today' })
    .getByRole('listitem')
    .filter({ hasText: 'soon at work' });
  await row.hover();
  await row.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  // What the list reads when it has heard of it.
  const heard = page.waitForResponse(
    async (response) =>
      response.url().endsWith(`/api/sessions/${sessionId}`) && (await response.json()).status === 'running',
  );
  await stage.server().client.sessions.send(sessionId, 'never end');
  await page.getByRole('button', { name: /^Stop/ }).waitFor();
  await heard;
  await draw(page, 5);
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByRole('textbox').waitFor();
  await page.keyboard.press('Escape');
  await listOf(page).getByRole('region', { name: 'At work' }).getByText('soon at work').waitFor();
  await stage.server().client.sessions.delete(sessionId);
});
