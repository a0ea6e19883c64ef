// Kill -9 while one agent works and another, which it has drafted, waits for a person: both have ended after the start.
import { expect, test } from 'vitest';
import { agentsOf, draft, heard, openTree, send, slow, toolyard, untilAgents } from './agent-home.ts';
import { pendingIn } from './claude-home.ts';

test('P12, P13: who waited under an agent that worked ends with it, and its person is asked no more', async () => {
  const rules = [
    { when: { userIs: 'plan', step: 0 }, reply: [draft('lead')] },
    { when: { userIs: 'lead', step: 0 }, reply: [draft('ask', 'asker')] },
    { when: { userIs: 'lead', step: 1 }, ...slow },
    { when: { userIs: 'ask', step: 0 }, reply: [toolyard('ping')] },
    heard,
  ];
  const home = await openTree(rules);
  const first = home.start();
  const before = await first.ready;
  await send(before, 'plan', 'default');
  for (const prompt of ['lead', 'ask']) {
    await before.client.approvals.answer((await pendingIn(before)).id, { decision: 'allow' });
    await untilAgents(before, (agents) => agents.some((agent) => agent.prompt === prompt));
  }
  await untilAgents(before, ([lead, ask]) => lead?.status === 'running' && ask?.status === 'waiting');
  await first.kill('SIGKILL');

  const again = await home.start().ready;
  const [lead, ask] = await agentsOf(again);
  expect([lead, ask]).toMatchObject([
    { status: 'failed', error: { code: 'restarted' } },
    { status: 'killed', error: { code: 'killed', message: expect.stringContaining(`${lead?.id}, failed.`) } },
  ]);
  expect((await again.client.approvals.list({ state: 'pending' })).items).toEqual([]);
  expect(home.countOpenTurns()).toBe(0);
});

test('P6: what an agent had said when the server was killed is what it has to say', async () => {
  const rules = [
    { when: { userIs: 'plan', step: 0 }, reply: [draft('work')] },
    { when: { userIs: 'work', step: 0 }, reply: [{ text: 'First I look.' }, toolyard('list_tasks')] },
    { when: { userIs: 'work', step: 1 }, ...slow },
    heard,
  ];
  const home = await openTree(rules);
  const first = home.start();
  const before = await first.ready;
  await send(before, 'plan');
  await untilAgents(before, ([work]) => work?.status === 'running');
  const [work] = await agentsOf(before);
  for await (const { type } of before.client.sessions.events(work?.sessionId ?? ''))
    if (type === 'tool_result') break;
  await first.kill('SIGKILL');
  const again = await home.start().ready;
  expect((await agentsOf(again))[0]).toMatchObject({
    status: 'failed',
    result: { summary: 'First I look.', reported: false },
  });
});
