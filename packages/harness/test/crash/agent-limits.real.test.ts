// Kill -9 of runs that are near their limits: no restart and no retry gives them more.
import { expect, test } from 'vitest';
import { agentsOf, draft, heard, isOver, openTree, send, untilAgents } from './agent-home.ts';
import { retry } from './claude-home.ts';

test('P9: agents that always draft five stop at the limits of their run, whenever the server is killed', async () => {
  const rules = [
    { when: { user: 'breed', step: 0 }, reply: Array.from({ length: 5 }, (_, at) => draft(`breed ${at}`)) },
    heard,
  ];
  const home = await openTree(rules, { maxAgents: 12, maxDepth: 9, spawnPerMinute: 1_000 });
  const first = home.start({ point: 'agent.drafted', occurrence: 7 });
  await send(await first.ready, 'breed').catch(() => {});
  await first.exited;

  const again = await home.start().ready;
  await untilAgents(again, isOver);
  const agents = await agentsOf(again);
  expect(agents.length).toBeGreaterThanOrEqual(7);
  expect(agents.length).toBeLessThanOrEqual(12);
  const run = await again.client.runs.get(agents[0]?.runId ?? '');
  expect(run.used).toMatchObject({ agents: agents.length, live: 0 });
  expect(new Set(agents.map(({ runId }) => runId)).size).toBe(1);
});

test('P9: a plan that is retried after a kill has what was left of its limits, not all of them again', async () => {
  const rules = [
    { when: { userIs: 'plan', step: 0 }, reply: [draft('one'), draft('two')] },
    { when: { userIs: 'plan', results: { contains: 'unknown' } }, reply: [draft('three')] },
    heard,
  ];
  const home = await openTree(rules, { maxAgents: 2 });
  const first = home.start({ point: 'agent.drafted', occurrence: 2 });
  const { id } = await send(await first.ready, 'plan');
  await first.exited;

  const again = await home.start().ready;
  const told = await retry(again, id);
  expect([told.outcome, told.text]).toEqual([
    'completed',
    expect.stringContaining('agent_limit: This run has reached its limit of 2'),
  ]);
  await untilAgents(again, isOver);
  // One of them may have begun before the kill; none was drafted after it.
  expect((await agentsOf(again)).map(({ prompt }) => prompt).sort()).toEqual(['one', 'two']);
});
