// Agents in a real browser: the tree live, money against budgets, killing a branch, and what a grandchild asks.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { agentsServer } from '../../support/agents-scenario.ts';
import { addAxe, findInLightAndDark, findViolations } from '../../support/axe.ts';
import { asksBeforeLeaving, goWithin } from '../../support/leaving.ts';
import { logInAgain, logOut } from '../../support/log-in.ts';
import { becomePhone } from '../../support/phone.ts';
import { notLoggedIn, patienceMs, setStage } from '../../support/stage.ts';
import { answer, approvalOf, isFocused, readsSoon, say } from '../../support/talk.ts';

const stage = setStage(agentsServer);
const patience = { timeout: patienceMs };

/** A coordinator that was told something, and may draft without asking. */
async function begin(words: string, taskSlug: string): Promise<string> {
  const { client } = stage.server();
  const { id } = await client.sessions.create({
    engine: 'native',
    role: 'coordinator',
    mode: 'acceptEdits',
    taskSlug,
    title: words,
  });
  await client.sessions.send(id, words);
  return id;
}

const treeOf = (page: Page, title: string): Locator => page.getByRole('region', { name: title });
const lineOf = (tree: Locator, role: string, state: string): Locator =>
  tree.getByRole('link', { name: new RegExp(`^${state} ${role} agt_…`) });
const spent = async (tree: Locator, name: RegExp): Promise<number> => {
  const said = await tree.getByRole('img', { name }).first().getAttribute('aria-label');
  return Number(/\$([\d.]+) of/.exec(said ?? '')?.[1]);
};

test('before the first agent the screen says how to begin, and opens a coordinator', async () => {
  const page = await stage.goTo('/agents');
  await page.getByText('No agents yet').waitFor();
  const command = await page.getByRole('figure', { name: 'The command' }).innerText();
  expect(command).toMatch(/ run --role coordinator --task checkout "Plan and do the checkout"/);
  await page.getByRole('button', { name: 'Talk to a coordinator' }).click();
  await page.waitForURL(/\/sessions\/ses_/);
  await expect.poll(() => page.getByRole('main').innerText(), patience).toMatch(/coordinator/);
});

test('a tree grows while one looks, shows what is spent of what, and a killed branch is gone with all under it', async () => {
  const { client } = stage.server();
  const page = await stage.goTo('/agents');
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  const rootId = await begin('two branches', 'checkout');
  const tree = treeOf(page, 'two branches');
  await lineOf(tree, 'developer', 'done').waitFor();
  await lineOf(tree, 'coordinator', 'waiting').waitFor();
  await lineOf(tree, 'developer', 'running').waitFor();
  expect(await tree.getByText('3 agents, 2 at work').count()).toBe(1);
  await expect.poll(() => spent(tree, /^Budget of developer .* of \$0\.50$/), patience).toBeGreaterThan(0);
  const [agent] = (await client.agents.list({ all: true, rootSessionId: rootId })).items.filter(
    ({ role, depth }) => role === 'developer' && depth === 1,
  );
  expect(await spent(tree, /^Budget of developer .* of \$0\.50$/)).toBeCloseTo(agent?.costUsd ?? -1, 2);
  await expect.poll(() => spent(tree, /^Budget of the run: .* of \$10/), patience).toBeGreaterThan(0);

  // On a small phone what ends an agent is in reach, however far down it works.
  await page.setViewportSize({ width: 320, height: 700 });
  const kills = tree.getByRole('button', { name: /^Kill / });
  const edge = await tree.evaluate((element) => element.getBoundingClientRect().right);
  const ends = await kills.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right));
  expect(ends.map((end) => end <= edge)).toEqual([true, true]);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Find/ }).fill('checkout');
  await page.getByRole('option', { name: /^coordinator agt_….* on checkout waiting$/ }).waitFor();
  await page.getByRole('option', { name: 'checkout open' }).waitFor();
  await page.keyboard.press('Escape');

  await tree.getByRole('button', { name: /^Kill coordinator agt_…/ }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText(/1 agent works under it and ends with it/).waitFor();
  await dialog.getByRole('button', { name: 'Kill all 2' }).click();
  await lineOf(tree, 'coordinator', 'killed').waitFor();
  await lineOf(tree, 'developer', 'killed').waitFor();
  await tree.getByText(/^3 agents$/).waitFor();
  expect((await client.agents.list({ rootSessionId: rootId })).items).toEqual([]);
  expect(await tree.getByRole('button', { name: /^Kill/ }).count()).toBe(0);
});

test('a conversation shows its agents, and leads to each; those do not crowd the list of sessions', async () => {
  const rootId = await begin('two branches', 'strip');
  const page = await stage.goTo(`/sessions/${rootId}`);
  const strip = page.getByRole('region', { name: 'Agents' });
  await strip.getByText('3 agents, 2 at work').waitFor();
  await strip.getByRole('img', { name: /^Budget of the run/ }).waitFor();
  const sessions = page.getByRole('navigation', { name: 'Sessions' });
  expect(await sessions.getByRole('link', { name: /lead the payment/ }).count()).toBe(0);

  await lineOf(strip, 'coordinator', 'waiting').click();
  await expect.poll(() => page.getByRole('main').innerText(), patience).toMatch(/1 below two branches/);
  await sessions.getByRole('link', { name: /lead the payment/ }).waitFor();
  const own = page.getByRole('region', { name: 'Agents' });
  await own.getByRole('button', { name: /^Kill developer agt_…/ }).click();
  await page.getByRole('alertdialog').getByText('Nobody works under it.').waitFor();
  await page.getByRole('button', { name: 'Kill it' }).click();
  await lineOf(own, 'developer', 'killed').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'two branches' }).click();
  await readsSoon(page, /Both branches have ended\./);
  await strip.getByText('3 agents, none at work').waitFor();
});

test('what a grandchild asks is asked at the root and in the inbox, says who it is, and is answered there', async () => {
  const rootId = await begin('pay from below', 'paying');
  const page = await stage.goTo(`/sessions/${rootId}`);
  const inbox = await stage.openWindow({ path: '/tasks/paying' });
  const who = /assistant agt_…\w{7} in pay ada, 2 below pay from below, on paying/;
  const card = approvalOf(page, 'pay', 'ada');
  await expect.poll(() => card.innerText(), patience).toMatch(who);
  // Nobody but the root stands in the list: there it shows that somebody under it waits.
  const waiting = page
    .getByRole('navigation', { name: 'Sessions' })
    .getByRole('region', { name: 'Waits for you' });
  await waiting.getByRole('link', { name: /^Waiting for you pay from below/ }).waitFor();
  await inbox
    .getByRole('article', { name: /^assistant agt_…/ })
    .getByText('asks you')
    .waitFor();
  await goWithin(inbox, '/inbox');
  await expect.poll(() => approvalOf(inbox, 'pay', 'ada').innerText(), patience).toMatch(who);
  await lineOf(page.getByRole('region', { name: 'Agents' }), 'assistant', 'asks you').waitFor();
  await answer(card, 'Allow once');
  await readsSoon(page, /It is back: done/);
  await inbox
    .getByText(/^Allowed once by/)
    .first()
    .waitFor();
});

test('a grandchild that has come to a limit asks at the root whether its run may go on', async () => {
  const rootId = await begin('go deeper', 'digging');
  const page = await stage.goTo(`/sessions/${rootId}`);
  const card = page.getByRole('article', { name: 'Question' });
  await expect
    .poll(() => card.innerText(), patience)
    .toMatch(/Continue this run\?\s+coordinator agt_…\w{7} in dig on, 2 below go deeper, on digging/);
  await card.getByText('Stop here').click();
  await card.getByRole('button', { name: /Answer/ }).click();
  await readsSoon(page, /It is back: done/);
});

test('a turn that was stopped is not counted, and what the others cost stays known', async () => {
  const { page, sessionId } = await stage.goToSession();
  const { client } = stage.server();
  await say(page, 'hello there');
  await readsSoon(page, /You said: hello there/);
  const costOf = async () => (await client.sessions.get(sessionId)).costUsd;
  await expect.poll(costOf, patience).toBeGreaterThan(0);
  const known = `$${(await costOf())?.toFixed(4)}`;
  await say(page, 'work for an hour');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await page.keyboard.press('Escape');
  await readsSoon(page, /Interrupted.*stopped before it was counted$/s);
  expect(await page.getByRole('main').innerText()).not.toMatch(/0 in, 0 out/);
  await page.getByRole('main').getByText(`${known} + unknown`).waitFor();
  const row = page.getByRole('navigation', { name: 'Sessions' }).locator(`a[href$="${sessionId}"]`);
  await row.getByText(`${known} + ?`).waitFor();
});

test('with agents on it, axe finds no serious violation in the light, in the dark and on a phone', async () => {
  const page = await stage.openWindow({ path: '/agents' });
  await addAxe(page);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [width, find] of [
    [1280, findInLightAndDark],
    [390, findViolations],
  ] as const) {
    if (width === 390) await becomePhone(page, width);
    await page.getByText('two branches').first().waitFor();
    expect(await find(page, `at ${width} px`)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  }
});

test('one drafts an agent by hand: what is wrong is said at its field, and what was typed outlives a login', async () => {
  const page = await stage.openWindow({
    path: '/agents',
    expected: new RegExp(`404|400|${notLoggedIn.source}`),
  });
  await page.getByRole('button', { name: 'Draft an agent' }).first().click();
  await page.getByRole('button', { name: 'Draft', exact: true }).click();
  await page.getByText('Say what the agent is to do.').waitFor();
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  expect(await asksBeforeLeaving(page)).toBe(false);
  await prompt.fill('build the form');
  // Nothing that is pressed or that happens by mistake takes it away.
  expect(await asksBeforeLeaving(page)).toBe(true);
  await page.mouse.click(5, 5);
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await page.getByText('Escape once more discards what you wrote.').waitFor();
  await logOut(page, stage.server());
  await logInAgain(page, stage.server());
  await expect.poll(() => isFocused(prompt), patience).toBe(true);
  expect(await prompt.inputValue()).toBe('build the form');
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.getByRole('combobox', { name: 'Task' }).fill('no-such-task');
  await page.getByRole('textbox', { name: /^Budget/ }).fill('0.25');
  await page.getByRole('button', { name: 'Draft', exact: true }).click();
  await page.getByRole('dialog').getByText('task_not_found').waitFor();
  await page.getByRole('combobox', { name: 'Task' }).fill('');
  await page.getByRole('button', { name: 'Draft', exact: true }).click();
  const tree = treeOf(page, 'build the form');
  await lineOf(tree, 'developer', 'done').waitFor();
  await expect.poll(() => spent(tree, /^Budget of developer .* of \$0\.25$/), patience).toBeGreaterThan(0);
  expect(await asksBeforeLeaving(page)).toBe(false);
  // What was not changed is closed by a click beside it, and what was by the second Escape.
  await page.getByRole('button', { name: 'Draft an agent' }).first().click();
  await prompt.waitFor();
  await page.mouse.click(5, 5);
  await prompt.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Draft an agent' }).first().click();
  await prompt.fill('never mind');
  await page.keyboard.press('Escape');
  await page.getByText('Escape once more discards').waitFor();
  await page.keyboard.press('Escape');
  await prompt.waitFor({ state: 'detached' });
});
