// Tasks in a real browser: made, worked on, read back, handed over, closed.
import { expect, test } from 'vitest';
import { agentsServer } from '../../support/agents-scenario.ts';
import { addAxe, findInLightAndDark, findViolations } from '../../support/axe.ts';
import { passTime, withClock } from '../../support/clock.ts';
import { goWithin } from '../../support/leaving.ts';
import { becomePhone } from '../../support/phone.ts';
import { patienceMs, setStage } from '../../support/stage.ts';

const stage = setStage(agentsServer);
const patience = { timeout: patienceMs };

/** How often the page looks for what no log tells. */
const tasksIntervalMs = 2_500;

async function draft(prompt: string, taskSlug: string): Promise<string> {
  return (await stage.server().client.agents.draft({ role: 'developer', prompt, taskSlug })).id;
}

test('a task is made by its slug, a wrong or taken one is said where it was typed, and an unknown one is said to be none', async () => {
  const page = await stage.openWindow({ path: '/tasks', expected: /409|404/ });
  await page.getByText('No tasks yet').waitFor();
  await page.getByRole('button', { name: 'New task' }).first().click();
  await page.getByRole('textbox', { name: 'Slug' }).fill('../x');
  await page.keyboard.press('Enter');
  await page.getByText(/^Use 1 to 64 lower-case letters/).waitFor();
  await page.getByRole('textbox', { name: 'Slug' }).fill('made');
  await page.getByRole('textbox', { name: 'Description' }).fill('Made in the page');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'made' }).waitFor();
  await page.getByText('Nobody has worked on it yet').waitFor();
  await page.getByRole('link', { name: 'All tasks' }).click();
  await page.getByRole('button', { name: 'New task' }).first().click();
  await page.getByRole('textbox', { name: 'Slug' }).fill('made');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('task_exists').waitFor();
  await page.goto(`${stage.server().url}/tasks/nowhere`);
  await page.getByRole('alert').getByText('task_not_found').waitFor();
});

test('the history of a task has who worked and what came of it, live, and its context is copied as it is', async () => {
  const { client } = stage.server();
  await client.tasks.create({ slug: 'history', description: 'To be read back' });
  const page = await stage.goTo('/tasks/history');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByText('Nobody has worked on it yet').waitFor();
  await draft('build the form', 'history');
  const card = page.getByRole('article', { name: /^developer agt_…/ });
  await card.getByText('done', { exact: true }).waitFor();
  const said = await card.innerText();
  for (const words of ['build the form', 'The form takes a name and a card.', 'form.ts: new'])
    expect(said).toContain(words);
  expect(said).toMatch(/Issues\s+An address abroad is not checked\s+Questions\s+Which currencies\?/);

  await page.getByRole('tab', { name: 'Context' }).click();
  const context = page.getByRole('region', { name: 'Context' });
  await context.getByRole('heading', { name: 'Open questions' }).waitFor();
  await context.getByRole('button', { name: 'Copy the context' }).click();
  const { context: whole } = await client.tasks.context('history');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), patience).toBe(whole);
});

test('a task that somebody works on is not closed, and says by whom; afterwards it is, and the filter knows', async () => {
  const { client } = stage.server();
  await client.tasks.create({ slug: 'busy', description: 'Takes an hour' });
  const agentId = await draft('work for an hour', 'busy');
  const page = await stage.openWindow({ path: '/tasks/busy', expected: /409/ });
  await page.getByText('1 at work').waitFor();
  await page.getByRole('button', { name: 'Close…' }).click();
  await page.getByRole('textbox', { name: 'Outcome' }).fill('It works');
  await page.getByRole('button', { name: 'Close it' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByText(`Agents still work on the task busy: ${agentId}. Await or kill them, then close it.`)
    .waitFor();
  await client.agents.kill(agentId);
  await dialog.getByRole('button', { name: 'Close it' }).click();
  await expect.poll(() => dialog.count(), patience).toBe(0);
  await page.getByText('It works', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Close…' }).count()).toBe(0);

  await page.getByRole('link', { name: 'All tasks' }).click();
  await page.getByRole('radio', { name: 'Closed' }).click();
  await expect
    .poll(() => page.getByRole('list', { name: 'Tasks' }).getByRole('listitem').count(), patience)
    .toBe(1);
  await page.getByRole('link', { name: /^busy closed/ }).waitFor();
  await page.getByRole('radio', { name: 'Open' }).click();
  await page.getByRole('link', { name: /^history open/ }).waitFor();
  expect(await page.getByRole('link', { name: /^busy/ }).count()).toBe(0);
});

test('a task that is opened and closed elsewhere shows so, with nobody at work to tell of it', async () => {
  const { client } = stage.server();
  const page = await stage.openWindow({ path: '/tasks', prepare: withClock });
  await page.getByRole('link', { name: /made/ }).waitFor();
  await client.tasks.create({ slug: 'elsewhere', description: 'Not from here' });
  await passTime(page, tasksIntervalMs);
  const row = page.getByRole('link', { name: /elsewhere/ });
  await row.waitFor();
  await row.click();
  await page.getByText('Nobody has worked on it yet').waitFor();
  await client.tasks.close('elsewhere', { outcome: 'Somebody else did it.' });
  await passTime(page, tasksIntervalMs);
  await page.getByText('Somebody else did it.').waitFor();
});

test('the keyboard goes through the list and opens a task', async () => {
  const page = await stage.goTo('/');
  await page.getByRole('heading', { name: 'What shall we work on?' }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await page.getByRole('heading', { name: 'Tasks' }).waitFor();
  await page.getByRole('link', { name: /^busy/ }).waitFor();
  // From wherever the focus is: it need not be in the list.
  await page.keyboard.press('j');
  const first = await page.evaluate(() => document.activeElement?.getAttribute('href'));
  expect(first).toBe(
    await page.getByRole('list', { name: 'Tasks' }).getByRole('link').first().getAttribute('href'),
  );
  await page.getByRole('link', { name: /^busy/ }).focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'history' }).waitFor();
});

test('axe finds no serious violation on the list and on a task, in the light, in the dark and on a phone', async () => {
  const page = await stage.openWindow({ path: '/tasks' });
  await addAxe(page);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [width, find] of [
    [1280, findInLightAndDark],
    [390, findViolations],
  ] as const) {
    if (width === 390) await becomePhone(page, width);
    for (const { path, sign } of [
      { path: '/tasks', sign: page.getByRole('link', { name: /^history/ }) },
      { path: '/tasks/history', sign: page.getByRole('heading', { name: 'history' }) },
      {
        path: '/tasks/history?tab=context',
        sign: page.getByRole('tab', { name: 'Context', selected: true }),
      },
    ]) {
      await goWithin(page, path);
      await sign.waitFor();
      await expect.poll(() => page.getByRole('status', { name: /^Reading/ }).count(), patience).toBe(0);
      expect(await find(page, `${path} at ${width} px`)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
  }
});
