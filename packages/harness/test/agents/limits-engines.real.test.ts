// Limits with models that cost money: a scripted one behind a real provider's interface, at a real model's price.
import type { Event, Question } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { type EngineYard, openEngineYard, setEngineStage, until } from './engine-yard.ts';

setEngineStage();

const toolyard = (name: string, input: object = {}) => ({ call: { tool: `mcp__toolyard__${name}`, input } });
const draft = (prompt: string, rest: object = {}) =>
  toolyard('draft_agent', { role: 'developer', prompt, taskSlug: 'spending', ...rest });
const long = { text: 'All work and no play. ', repeat: 200 };

/** Agents that say much in each of four steps. */
const talk = [
  { when: { user: 'talk', step: 0 }, reply: [long, toolyard('list_tasks')] },
  { when: { user: 'talk', step: 1 }, reply: [long, toolyard('list_agents')] },
  { when: { user: 'talk', step: 2 }, reply: [long, toolyard('list_tasks')] },
  { when: { user: 'talk' }, reply: [long] },
];
const lead = (calls: number, rest: object = {}) => [
  {
    when: { userIs: 'lead', step: 0 },
    reply: Array.from({ length: calls }, (_, at) => draft(`talk ${at}`, rest)),
  },
  { when: { userIs: 'lead', step: 1 }, reply: [toolyard('await_agent', { agentId: '{{result.agentId}}' })] },
  { when: { userIs: 'lead' }, reply: [{ text: 'Heard: {{results}}' }] },
];
const wide = { maxChildren: 100, maxAgents: 100, spawnPerMinute: 1_000 };

async function openSpending(limits: object, rules: unknown[]) {
  const yard = await openEngineYard({ scenario: rules, config: { limits: { ...wide, ...limits } } });
  await yard.client.tasks.create({ slug: 'spending', description: 'To spend' });
  return yard;
}

async function untilQuiet({ client }: EngineYard): Promise<void> {
  await until('agents still work', async () => (await client.agents.list()).items.length === 0 || undefined);
}

/** What each step of the whole yard has cost, by the logs. */
async function stepsOf({ client }: EngineYard): Promise<number[]> {
  const costs: number[] = [];
  for (const { id, lastSeq } of (await client.sessions.list({ limit: 100 })).items)
    costs.push(...(await readCosts(client.sessions.events(id), lastSeq)));
  return costs;
}

async function readCosts(events: AsyncIterable<Event>, lastSeq: number): Promise<number[]> {
  const costs: number[] = [];
  for await (const event of events) {
    if (event.type === 'usage') costs.push(event.data.costUsd ?? Number.NaN);
    if (event.seq >= lastSeq) break;
  }
  return costs;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe('P8: money', () => {
  it.each([
    { engine: 'native', children: 50, budgetUsd: 0.5, concurrency: 8 },
    { engine: 'claude', children: 6, budgetUsd: 0.3, concurrency: 2 },
  ] as const)(
    '$children agents of $engine on one budget exceed it by no more than the steps under way',
    async (wanted) => {
      const { engine, children, budgetUsd, concurrency } = wanted;
      const yard = await openSpending({ budgetUsd, concurrency }, [...talk, ...lead(children)]);
      await yard.ask('lead', { engine, taskSlug: 'spending' });
      await untilQuiet(yard);
      const agents = await yard.agents();
      const steps = await stepsOf(yard);
      const { used } = await yard.client.runs.get(agents[0]?.runId ?? '');
      const maxAtOnce = Math.max(...steps) * (concurrency + 1);
      expect(used.costUsd).toBeGreaterThan(budgetUsd / 2);
      expect(used.costUsd).toBeLessThanOrEqual(budgetUsd + maxAtOnce);
      expect(used.costUsd).toBeCloseTo(sum(steps), 6);
      const codes = new Set(agents.map(({ status, error }) => error?.code ?? status));
      expect([agents.length <= children, codes.has('budget_limit')]).toEqual([true, true]);
    },
  );

  it('an agent with a budget of its own keeps to it, and so do all under it', async () => {
    const yard = await openSpending({ budgetUsd: 10 }, [
      ...[
        {
          when: { userIs: 'own', step: 0 },
          reply: [draft('lead', { role: 'coordinator', budgetUsd: 0.05 })],
        },
      ],
      ...[{ when: { userIs: 'own' }, reply: [{ text: 'ok' }] }],
      ...talk,
      ...lead(5),
    ]);
    await yard.ask('own', { engine: 'native' });
    await untilQuiet(yard);
    const [own, ...under] = await yard.agents();
    const step = Math.max(...(await stepsOf(yard)));
    expect(under.map(({ budgetUsd }) => (budgetUsd ?? 1) <= 0.05)).toEqual([true, true, true, true, true]);
    expect(own?.costUsd).toBeLessThanOrEqual(0.05 + 5 * step);
    expect(own?.costUsd).toBeGreaterThanOrEqual(sum(under.map(({ costUsd }) => costUsd ?? 0)));
    expect(under.map(({ error }) => error?.code)).toContain('budget_limit');
  });

  it('the budget of an agent holds for those under it when it has ended itself and they come one after another', async () => {
    const yard = await openSpending({ budgetUsd: 10, concurrency: 1 }, [
      { when: { userIs: 'own', step: 0 }, reply: [draft('lead', { role: 'coordinator', budgetUsd: 0.1 })] },
      { when: { userIs: 'lead', step: 1 }, reply: [{ text: 'I wait for nobody.' }] },
      ...talk,
      ...lead(5),
    ]);
    await yard.ask('own', { engine: 'native' });
    await untilQuiet(yard);
    const [own, ...under] = await yard.agents();
    expect([own?.status, under.length]).toEqual(['done', 5]);
    expect(own?.costUsd).toBeLessThanOrEqual(0.1 + Math.max(...(await stepsOf(yard))));
    expect(under.map(({ error }) => error?.code)).toContain('budget_limit');
  });

  it('what all runs of a day may spend holds over runs and over a restart', async () => {
    const yard = await openSpending({ dailyUsd: 0.1 }, talk);
    const first = await yard.ask('talk', { engine: 'native' });
    const second = await yard.ask('talk', { engine: 'native' });
    const third = await (await yard.again()).ask('talk', { engine: 'native' });
    expect([first, second, third].map(({ outcome, code }) => [outcome, code])).toEqual([
      ['completed', undefined],
      ['limit', 'budget_limit'],
      ['limit', 'budget_limit'],
    ]);
    expect(third.events.find(({ type }) => type === 'error')?.data).toMatchObject({
      message: expect.stringContaining('limits.dailyUsd'),
    });
  });

  it('tokens are counted where a price does not matter', async () => {
    const yard = await openSpending({ tokens: 3_000 }, [...talk, ...lead(3)]);
    const { outputs, outcome } = await yard.ask('lead', { engine: 'native', taskSlug: 'spending' });
    await untilQuiet(yard);
    const agents = await yard.agents();
    expect(agents.map(({ status, error }) => [status, error?.message])).toEqual(
      agents.map(() => ['failed', expect.stringContaining('limits.tokens')]),
    );
    expect([outcome, outputs.length]).toEqual(['limit', 4]);
  });

  it('with onLimit: ask the question of an agent stands at the root, and a yes lets that agent go on', async () => {
    const yard = await openSpending({ budgetUsd: 0.04, onLimit: 'ask' }, [...talk, ...lead(1)]);
    const asked: Question[] = [];
    const person = {
      answer(question: Question) {
        asked.push(question);
        return question.options?.[0]?.label ?? '';
      },
    };
    const { outcome, sessionId } = await yard.ask('lead', { engine: 'native', taskSlug: 'spending', person });
    const [agent] = await yard.agents();
    expect([outcome, agent?.status, asked.length > 0]).toEqual(['completed', 'done', true]);
    expect(asked[0]).toMatchObject({
      sessionId: agent?.sessionId,
      rootSessionId: sessionId,
      lineage: { depth: 1 },
      text: expect.stringMatching(/\$0\.04 .*limits\.budgetUsd.*Continue this run\?/),
    });
    const run = await yard.client.runs.get(agent?.runId ?? '');
    expect(run.limits.budgetUsd).toBeCloseTo(0.04 * (1 + asked.length), 6);
  });

  it('with onLimit: ask several that ask the same at the same moment raise the limit once', async () => {
    const rules = [...talk, ...lead(4, { budgetUsd: 1 })];
    const yard = await openSpending({ tokens: 8_000, onLimit: 'ask', concurrency: 4 }, rules);
    const asked: Question[] = [];
    const person = {
      answer(question: Question) {
        asked.push(question);
        return question.options?.[0]?.label ?? '';
      },
    };
    const { outcome } = await yard.ask('lead', { engine: 'native', taskSlug: 'spending', person });
    await untilQuiet(yard);
    const [agent] = await yard.agents();
    const { limits } = await yard.client.runs.get(agent?.runId ?? '');
    const texts = new Set(asked.map(({ text }) => /limit of (\d+) tokens/.exec(text)?.[1]));
    expect(outcome).toBe('completed');
    expect(limits.tokens).toBe(8_000 * (1 + texts.size));
  });

  it('with onLimit: ask five on one budget are asked about once at a time, and each yes gives as much again', async () => {
    const yard = await openSpending({ budgetUsd: 0.08, onLimit: 'ask', concurrency: 5 }, [
      ...talk,
      ...lead(5),
    ]);
    const asked: Question[] = [];
    const pending: number[] = [];
    const { client } = yard;
    const person = {
      answer(question: Question) {
        asked.push(question);
        void client.questions.list({ state: 'pending' }).then(({ items }) => pending.push(items.length));
        return question.options?.[0]?.label ?? '';
      },
    };
    await yard.ask('lead', { engine: 'native', taskSlug: 'spending', person });
    await untilQuiet(yard);
    const agents = await yard.agents();
    const runId = agents[0]?.runId ?? '';
    const { limits, used } = await client.runs.get(runId);
    expect(agents.map(({ status }) => status)).toEqual(agents.map(() => 'done'));
    expect(Math.max(...pending)).toBeLessThanOrEqual(1);
    expect(asked.map(({ limit }) => limit)).toEqual(
      asked.map((_, before) => ({
        runId,
        limit: 'budgetUsd',
        max: expect.closeTo(0.08 * (1 + before), 6),
        raise: { by: 0.08, from: { [runId]: expect.closeTo(0.08 * before, 6) } },
      })),
    );
    expect(limits.budgetUsd).toBeCloseTo(0.08 * (1 + asked.length), 6);
    expect(used.costUsd).toBeGreaterThan(limits.budgetUsd - 0.08 - Math.max(...(await stepsOf(yard))) * 6);
  });

  it('with onLimit: ask a yes about the budget of one agent is for that agent, not for its run', async () => {
    const yard = await openSpending({ budgetUsd: 5, onLimit: 'ask' }, [
      ...talk,
      ...lead(1, { budgetUsd: 0.03 }),
    ]);
    const asked: Question[] = [];
    const person = {
      answer(question: Question) {
        asked.push(question);
        return question.options?.[0]?.label ?? '';
      },
    };
    await yard.ask('lead', { engine: 'native', taskSlug: 'spending', person });
    const [agent] = await yard.agents();
    expect(asked).toMatchObject([{ limit: { limit: 'budgetUsd', agentId: agent?.id } }]);
    expect(agent).toMatchObject({ status: 'done', budgetUsd: 0.06 });
    expect((await yard.client.runs.get(agent?.runId ?? '')).limits.budgetUsd).toBe(5);
  });

  it('with onLimit: ask a no ends the work with the limit', async () => {
    const yard = await openSpending({ budgetUsd: 0.04, onLimit: 'ask' }, [...talk, ...lead(1)]);
    const person = { answer: ({ options }: Question) => options?.[1]?.label ?? '' };
    await yard.ask('lead', { engine: 'native', taskSlug: 'spending', person });
    expect(await yard.agents()).toMatchObject([{ status: 'failed', error: { code: 'budget_limit' } }]);
  });
});

describe('P9: time', () => {
  const slow = { when: { user: 'talk' }, pace: { initialDelayMs: 60_000 }, reply: [{ text: 'late' }] };

  it.concurrent('agents whose run has no time left expire, and whoever waits for them hears it', async () => {
    const yard = await openSpending({ wallMinutes: 0.05 }, [slow, ...lead(2)]);
    const { outcome, code, sessionId } = await yard.ask('lead', { engine: 'native', taskSlug: 'spending' });
    await untilQuiet(yard);
    const expired = 'expired time_limit';
    expect((await yard.agents()).map(({ status, error }) => `${status} ${error?.code}`)).toEqual([
      expired,
      expired,
    ]);
    expect([outcome, code, (await yard.client.sessions.get(sessionId)).status]).toEqual([
      ...['limit', 'time_limit', 'idle'],
    ]);
  });

  it.concurrent('an agent with the real CLI expires, too', async () => {
    const yard = await openSpending({ wallMinutes: 0.03 }, [slow]);
    const { id } = await yard.client.agents.draft({ role: 'developer', prompt: 'talk' });
    expect(await yard.client.agents.await(id)).toMatchObject({
      status: 'expired',
      error: { code: 'time_limit' },
    });
  });
});
