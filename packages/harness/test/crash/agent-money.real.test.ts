// Kill -9 where money is at stake: in a step that nobody will count, and while a limit is asked about.
import { DatabaseSync } from 'node:sqlite';
import type { Question } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { until } from '../sandbox/support.ts';
import {
  agentsOf,
  draft,
  heard,
  isOver,
  openTree,
  send,
  slow,
  toolyard,
  untilAgents,
  wait,
} from './agent-home.ts';
import { databaseOf } from './rows.ts';
import type { Ready } from './server-process.ts';

const lead = (agents: number) => [
  {
    when: { userIs: 'lead', step: 0 },
    reply: Array.from({ length: agents }, (_, at) => draft(`work ${at}`)),
  },
  { when: { userIs: 'lead', step: 1 }, reply: [wait] },
];

test('P8: the step that a kill has cut off is charged to its agent and its run, once, and counts for the day', async () => {
  const rules = [
    ...lead(1),
    { when: { user: 'work', step: 0 }, reply: [{ text: 'I look. ', repeat: 50 }, toolyard('list_tasks')] },
    { when: { user: 'work', step: 1 }, ...slow },
    heard,
  ];
  const home = await openTree(rules);
  const first = home.start();
  const ready = await first.ready;
  await send(ready, 'lead');
  await untilAgents(ready, ([agent]) => (agent?.costUsd ?? 0) > 0);
  const [before] = await agentsOf(ready);
  // Two steps of each: its second is under way.
  await until(() => home.rehearsal.requests() === 4, 20_000);
  await first.kill('SIGKILL');

  const again = home.start();
  const told = await again.ready;
  await untilAgents(told, isOver);
  const [after] = await agentsOf(told);
  expect(after).toMatchObject({ status: 'failed', error: { code: 'restarted' } });
  const charged = (after?.costUsd ?? 0) - (before?.costUsd ?? 0);
  expect(charged).toBeGreaterThan((before?.costUsd ?? 0) / 4);
  await until(
    async () => (await told.client.sessions.get(before?.rootSessionId ?? '')).status === 'idle',
    20_000,
  );
  const used = (await told.client.runs.get(before?.runId ?? '')).used;
  expect(used.costUsd).toBeGreaterThan(after?.costUsd ?? 0);
  await again.kill('SIGKILL');
  expect(chargedTo(databaseOf(home.home))).toBeCloseTo(used.costUsd, 9);

  const third = await home.start().ready;
  expect(await agentsOf(third)).toEqual([after]);
  expect((await third.client.runs.get(before?.runId ?? '')).used.costUsd).toBe(used.costUsd);
});

/** What the day knows of. */
function chargedTo(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(
      database.prepare('SELECT sum(coalesce(charged_usd, cost_usd)) AS usd FROM usage').get()?.usd,
    );
  } finally {
    database.close();
  }
}

async function pendingIn({ client }: Ready): Promise<Question[]> {
  return (await client.questions.list({ state: 'pending' })).items;
}

test('P12: agents that wait for one answer about a limit wait on after a kill, and all go on with it', async () => {
  const home = await openTree([...lead(4), heard], { tokens: 1_500, onLimit: 'ask' });
  const first = home.start();
  const ready = await first.ready;
  await send(ready, 'lead');
  const isAsked = async (of: Ready) => (await pendingIn(of))[0]?.sharedBy?.length === 4;
  // The four and whoever waits for one of them.
  await until(() => isAsked(ready), 20_000);
  const [asked] = await pendingIn(ready);
  await first.kill('SIGKILL');

  const again = await home.start().ready;
  expect(await pendingIn(again)).toMatchObject([{ id: asked?.id, sharedBy: asked?.sharedBy }]);
  let answers = 0;
  await until(async () => {
    const [question, ...others] = await pendingIn(again);
    expect(others).toEqual([]);
    if (question) {
      await again.client.questions.answer(question.id, question.options?.[0]?.label ?? '');
      answers += 1;
    }
    return isOver(await agentsOf(again));
  }, 20_000);
  const agents = await agentsOf(again);
  expect(agents.map(({ status, result }) => [status, result?.summary])).toEqual(
    agents.map(({ prompt }) => ['done', expect.stringContaining(`${prompt} heard`)]),
  );
  const { limits } = await again.client.runs.get(agents[0]?.runId ?? '');
  expect(limits.tokens).toBe(1_500 * (1 + answers));
});

test('P12: a yes about a limit holds over a kill for all that had not gone on with it, and costs them nothing', async () => {
  const rules = [
    { when: { userIs: 'talk' }, reply: [{ text: 'So much to say. ', repeat: 4_000 }] },
    { when: { user: 'hog' }, ...slow },
    { when: { user: 'work 0' }, ...slow },
    heard,
  ];
  const home = await openTree(rules, { tokens: 15_000, onLimit: 'ask', concurrency: 1 });
  const first = home.start();
  const ready = await first.ready;
  const { id: sessionId } = await send(ready, 'talk');
  await until(async () => (await ready.client.sessions.get(sessionId)).status === 'idle', 20_000);
  const begin = (prompt: string, rest: object = {}) =>
    ready.client.agents.draft({ role: 'coordinator', prompt, ...rest });
  for (const at of [0, 1, 2]) await begin(`work ${at}`, { sessionId });
  await until(async () => (await pendingIn(ready))[0]?.sharedBy?.length === 2, 20_000);
  // Whoever goes on needs the slot that this one has.
  const hog = await begin('hog');
  await until(() => home.rehearsal.requests() === 2, 20_000);
  const [asked] = await pendingIn(ready);
  await ready.client.questions.answer(asked?.id ?? '', asked?.options?.[0]?.label ?? '');
  await first.kill('SIGKILL');

  const again = home.start();
  const told = await again.ready;
  const workers = async (of: Ready) => (await agentsOf(of)).filter(({ id }) => id !== hog.id);
  const limitIn = async ({ client }: Ready) =>
    (await client.runs.get(asked?.limit?.runId ?? '')).limits.tokens;
  expect(await limitIn(told)).toBe(30_000);
  await until(() => home.rehearsal.requests() === 3, 20_000);
  const goingOn = await workers(told);
  expect(goingOn.map(({ costUsd, endedAt }) => [costUsd, endedAt])).toEqual(
    goingOn.map(() => [0, undefined]),
  );
  await again.kill('SIGKILL');

  // The first has gone on with it, and was cut off; the others had not.
  const third = await home.start().ready;
  await untilAgents(third, isOver);
  const ended = await workers(third);
  expect(ended.map(({ status, error }) => error?.code ?? status)).toEqual(['restarted', 'done', 'done']);
  expect(ended.every(({ costUsd }) => (costUsd ?? 0) > 0)).toBe(true);
  expect([await limitIn(third), await pendingIn(third)]).toEqual([30_000, []]);
});
