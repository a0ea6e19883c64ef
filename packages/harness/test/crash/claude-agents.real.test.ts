// Agents with the real CLI in them, and commands in that: none of their processes outlives a kill of the server, or the
// answer of a kill of the agent; and whoever waited for one hears what became of it after the restart.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findSleepers, newNap, until } from '../sandbox/support.ts';
import { createClaudeHome, familyOf, livingOf, readTurn } from './claude-home.ts';

const toolyard = (name: string) => `mcp__toolyard__${name}`;

/** One sleeper that its shell waits for, and one that has left its shell. */
function rulesFor(nap: string) {
  const command = `(setsid sleep ${nap} &); sleep ${nap}`;
  const draft = (role: string, prompt: string) => ({
    call: { tool: toolyard('draft_agent'), input: { role, prompt } },
  });
  const wait = { call: { tool: toolyard('await_agent'), input: { agentId: '{{result.agentId}}' } } };
  const drafted = { tool: toolyard('draft_agent') };
  return [
    { when: { userIs: 'sleep', step: 0 }, reply: [{ call: { tool: 'Bash', input: { command } } }] },
    { when: { userIs: 'plan', step: 0 }, reply: [draft('developer', 'sleep')] },
    { when: { userIs: 'lead', step: 0 }, reply: [draft('coordinator', 'plan')] },
    { when: { results: drafted }, reply: [wait] },
    { reply: [{ text: 'Heard: {{results}}' }] },
  ];
}

async function openHome(nap: string) {
  const home = await createClaudeHome(rulesFor(nap));
  const config = { claude: { spare: false }, defaults: { engine: 'claude', mode: 'bypassPermissions' } };
  writeFileSync(join(home.home, 'config.yaml'), JSON.stringify(config));
  const server = home.start();
  return { home, server, ready: await server.ready };
}

const isClaude = ({ command }: { command: string }) => /claude\S* --output-format/.test(command);

test('P6, P7, P12: two seconds after kill -9 of the server nothing of its agents is left, and who waited hears of it', async () => {
  const nap = newNap();
  const { home, server, ready } = await openHome(nap);
  const { id } = await ready.client.sessions.create({ role: 'coordinator' });
  const { turnId } = await ready.client.sessions.send(id, 'plan');
  await until(() => findSleepers(nap).length === 2, 20_000);
  const family = familyOf(server.pid);
  onTestFinished(() => livingOf(family).forEach(({ pid }) => void process.kill(pid, 'SIGKILL')));
  expect(family.filter(isClaude).length).toBeGreaterThanOrEqual(2);
  await server.kill('SIGKILL');
  await until(() => livingOf(family).length === 0, 2_000);
  expect(findSleepers(nap)).toEqual([]);

  const again = await home.start().ready;
  const { outcome, text } = await readTurn(again, { id, turnId });
  const { items } = await again.client.agents.list({ all: true });
  expect([outcome, text, items]).toEqual([
    'completed',
    expect.stringMatching(/Heard: .*"status":"failed".*restarted/),
    [expect.objectContaining({ status: 'failed', error: expect.objectContaining({ code: 'restarted' }) })],
  ]);
  expect([home.countOpenTurns(), findSleepers(nap)]).toEqual([0, []]);
});

test('P7, P13: a kill answers when the processes of an agent and of all under it are gone', async () => {
  const nap = newNap();
  const { server, ready } = await openHome(nap);
  const { id } = await ready.client.agents.draft({ role: 'coordinator', prompt: 'lead' });
  await until(() => findSleepers(nap).length === 2, 20_000);
  expect(familyOf(server.pid).filter(isClaude).length).toBeGreaterThanOrEqual(3);
  const began = performance.now();
  const killed = await ready.client.agents.kill(id);
  const left = { sleepers: findSleepers(nap), programs: familyOf(server.pid).filter(isClaude) };
  expect({ ...killed, ...left }).toEqual({
    success: true,
    message: `Killed ${id} and 2 under it.`,
    killed: expect.arrayContaining([id]),
    sleepers: [],
    programs: [],
  });
  expect(performance.now() - began).toBeLessThan(5_000);
  const { items } = await ready.client.agents.list({ all: true });
  expect(items.map(({ status, depth }) => `${depth} ${status}`)).toEqual([
    '2 killed',
    '1 killed',
    '0 killed',
  ]);
});
