// Kill -9 under whole trees of agents: those that wait go on waiting, those in the queue run, and a person is still asked.
import { expect, test } from 'vitest';
import { until } from '../sandbox/support.ts';
import {
  agentsOf,
  countWaits,
  draft,
  heard,
  isOver,
  openTree,
  send,
  slow,
  toolyard,
  untilAgents,
  untilChain,
  wait,
} from './agent-home.ts';
import { pendingIn, readTurn } from './claude-home.ts';
import { databaseOf } from './rows.ts';

test('P6, P12: a chain that waits goes on waiting with one slot, and each hears what became of the one below', async () => {
  const rules = [
    { when: { userIs: 'one', step: 0 }, reply: [draft('two')] },
    { when: { userIs: 'two', step: 0 }, reply: [draft('three')] },
    { when: { userIs: 'three', step: 0 }, reply: [draft('four')] },
    { when: { userIs: ['one', 'two', 'three'], step: 1 }, reply: [wait] },
    { when: { userIs: 'four' }, ...slow },
    heard,
  ];
  const home = await openTree(rules, { concurrency: 1, maxDepth: 3 });
  const first = home.start();
  const before = await first.ready;
  const turn = await send(before, 'one');
  await untilChain(home, before, 3);
  await first.kill('SIGKILL');
  // And once more, in the middle of going on.
  const second = home.start({ point: 'agent.begun', occurrence: 2 });
  expect(await second.exited).toEqual({ code: null, signal: 'SIGKILL' });

  const again = await home.start().ready;
  const told = await readTurn(again, turn);
  expect((await agentsOf(again)).map(({ prompt, status, error }) => [prompt, status, error?.code])).toEqual([
    ['two', 'done', undefined],
    ['three', 'done', undefined],
    ['four', 'failed', 'restarted'],
  ]);
  expect([told.outcome, told.text]).toEqual([
    'completed',
    expect.stringMatching(/one heard .*two heard .*three heard .*restarted/),
  ]);
});

test('P6, P12: what was in the queue runs after the kill', async () => {
  const rules = [
    {
      when: { userIs: 'plan', step: 0 },
      reply: ['hold', 'work 1', 'work 2', 'work 3'].map((each) => draft(each)),
    },
    { when: { user: 'hold' }, ...slow },
    heard,
  ];
  const home = await openTree(rules, { concurrency: 1 });
  const first = home.start();
  const before = await first.ready;
  await send(before, 'plan');
  // Those that are drafted at once may be so in any order.
  const isHeld = ({ prompt, status }: { prompt: string; status: string }) =>
    prompt === 'hold' && status === 'running';
  await untilAgents(before, (agents) => agents.length === 4 && agents.some(isHeld));
  await first.kill('SIGKILL');

  const again = await home.start().ready;
  await untilAgents(again, isOver);
  const ended = (await agentsOf(again)).map(({ prompt, status, error }) => [prompt, status, error?.code]);
  expect(ended.sort()).toEqual([
    ['hold', 'failed', 'restarted'],
    ...['work 1', 'work 2', 'work 3'].map((prompt) => [prompt, 'done', undefined]),
  ]);
});

test('P12: a stop in good order leaves who waits waiting, and tells it of those it has ended', async () => {
  const rules = [
    { when: { userIs: 'one', step: 0 }, reply: [draft('two')] },
    { when: { userIs: 'two', step: 0 }, reply: [draft('three')] },
    { when: { userIs: ['one', 'two'], step: 1 }, reply: [wait] },
    { when: { userIs: 'three' }, ...slow },
    heard,
  ];
  const home = await openTree(rules);
  const first = home.start();
  const before = await first.ready;
  const turn = await send(before, 'one');
  await untilChain(home, before, 2);
  await first.kill('SIGTERM');

  const again = await home.start().ready;
  const told = await readTurn(again, turn);
  expect((await agentsOf(again)).map(({ prompt, status }) => [prompt, status])).toEqual([
    ['two', 'done'],
    ['three', 'failed'],
  ]);
  expect([told.outcome, told.text]).toEqual([
    'completed',
    expect.stringMatching(/one heard .*two heard .*restarted/),
  ]);
});

test('P3, P5, P12: the approval of a descendant is answered at the root after a kill, and the whole chain goes on', async () => {
  const rules = [
    { when: { userIs: 'plan', step: 0 }, reply: [draft('ask', 'asker')] },
    { when: { userIs: 'plan', step: 1 }, reply: [wait] },
    { when: { userIs: 'ask', step: 0 }, reply: [toolyard('ping')] },
    heard,
  ];
  const home = await openTree(rules, { concurrency: 1 });
  const first = home.start();
  const before = await first.ready;
  const turn = await send(before, 'plan', 'default');
  await before.client.approvals.answer((await pendingIn(before)).id, { decision: 'allow' });
  await untilAgents(before, (agents) => agents[0]?.status === 'waiting');
  await until(() => countWaits(databaseOf(home.home)) === 1, 20_000);
  const asked = await pendingIn(before);
  expect(asked).toMatchObject({ tool: 'mcp__toolyard__ping', rootSessionId: turn.id });
  await first.kill('SIGKILL');

  const again = await home.start().ready;
  await again.client.approvals.answer(asked.id, { decision: 'allow' });
  const told = await readTurn(again, turn);
  expect([told.outcome, told.text]).toEqual([
    'completed',
    expect.stringMatching(/plan heard .*ask heard .*pong/),
  ]);
  const asks = told.events.filter(({ type }) => type === 'approval_required' || type === 'approval_resolved');
  expect(asks.map(({ type }) => type)).toEqual([
    ...['approval_required', 'approval_resolved', 'approval_required', 'approval_resolved'],
  ]);
});

test('P3, P5: a draft that waits for its person is made once, however often the server is killed', async () => {
  const rules = [
    { when: { userIs: 'plan', step: 0 }, reply: [draft('work')] },
    { when: { userIs: 'plan', step: 1 }, reply: [wait] },
    heard,
  ];
  const home = await openTree(rules);
  const first = home.start();
  const before = await first.ready;
  const turn = await send(before, 'plan', 'default');
  const asked = await pendingIn(before);
  await first.kill('SIGKILL');
  const second = home.start({ point: 'approval.answered', occurrence: 1 });
  const between = await second.ready;
  await between.client.approvals.answer(asked.id, { decision: 'allow' }).catch(() => {});
  await second.exited;

  const again = await home.start().ready;
  const told = await readTurn(again, turn);
  expect([told.outcome, told.text]).toEqual(['completed', expect.stringMatching(/plan heard .*work heard/)]);
  expect((await agentsOf(again)).map(({ prompt, status }) => `${prompt} ${status}`)).toEqual(['work done']);
  expect((await again.client.approvals.list({ limit: 100 })).items).toHaveLength(1);
});
