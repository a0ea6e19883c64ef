// Limits with `onLimit: ask` and models that cost money: who is asked for more, about what, and how often.
import type { Question } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { type EngineYard, engines, openEngineYard, read, setEngineStage, until } from './engine-yard.ts';

setEngineStage();

const toolyard = (name: string, input: object = {}) => ({ call: { tool: `mcp__toolyard__${name}`, input } });
const draft = (prompt: string, rest: object = {}) =>
  toolyard('draft_agent', { role: 'developer', prompt, taskSlug: 'spending', ...rest });
const long = { text: 'All work and no play. ', repeat: 200 };

/** An agent that says much in each of four steps, and whoever waits for it. */
const rules = (rest: object = {}) => [
  { when: { user: 'talk', step: 0 }, reply: [long, toolyard('list_tasks')] },
  { when: { user: 'talk', step: 1 }, reply: [long, toolyard('list_agents')] },
  { when: { user: 'talk', step: 2 }, reply: [long, toolyard('list_tasks')] },
  { when: { user: 'talk' }, reply: [long] },
  { when: { userIs: 'lead', step: 0 }, reply: [draft('talk', rest)] },
  { when: { userIs: 'lead', step: 1 }, reply: [toolyard('await_agent', { agentId: '{{result.agentId}}' })] },
  { when: { userIs: 'lead' }, reply: [{ text: 'Heard: {{results}}' }] },
];
const role = (name: string, budgetUsd: number) =>
  `---\nname: ${name}\ndescription: Has little\ncategory: conversational\nlimits: { budgetUsd: ${budgetUsd} }\n---\nBe.\n`;

async function open(limits: object, scenario: unknown[], roles: Record<string, string> = {}) {
  const yard = await openEngineYard({ scenario, config: { limits: { ...limits, onLimit: 'ask' } }, roles });
  await yard.client.tasks.create({ slug: 'spending', description: 'To spend' });
  return yard;
}

/** A person who says the same to all, and remembers what they were asked. */
function answering(at: 0 | 1) {
  const asked: Question[] = [];
  const answer = (question: Question) => {
    asked.push(question);
    return question.options?.[at]?.label ?? '';
  };
  return { asked, person: { answer } };
}

const native = { engine: 'native', taskSlug: 'spending' } as const;
const untilAsked = ({ client }: EngineYard) =>
  until('nobody was asked', async () => (await client.questions.list({ state: 'pending' })).items[0]);

describe('what a role says', () => {
  it('of an agent’s money is not asked about', async () => {
    const yard = await open({ budgetUsd: 5 }, rules({ role: 'cheap' }), { cheap: role('cheap', 0.03) });
    const { asked, person } = answering(0);
    const { outcome } = await yard.ask('lead', { ...native, person });
    expect([outcome, asked]).toEqual(['completed', []]);
    expect(await yard.agents()).toMatchObject([{ budgetUsd: 0.03, error: { code: 'budget_limit' } }]);
  });

  it('of the money of a run is the most that a person is asked for', async () => {
    const yard = await open({ budgetUsd: 0.04 }, rules(), { boss: role('boss', 0.041) });
    const { asked, person } = answering(0);
    const { code } = await yard.ask('lead', { ...native, role: 'boss', person });
    const [agent] = await yard.agents();
    expect(asked.map(({ options }) => options?.[0]?.label)).toEqual([
      'Continue with 0.001 more (limits.budgetUsd)',
    ]);
    expect([code, agent?.error?.code]).toEqual(['budget_limit', 'budget_limit']);
    expect((await yard.client.runs.get(agent?.runId ?? '')).limits.budgetUsd).toBe(0.041);
  });
});

describe('an answer', () => {
  it('of no is everybody’s in the run, and who tries again is asked again', async () => {
    const yard = await open({ budgetUsd: 0.04 }, rules());
    const { asked, person } = answering(1);
    const { code, sessionId } = await yard.ask('lead', { ...native, person });
    const [agent] = await yard.agents();
    expect([code, agent?.error?.code, asked.length]).toEqual(['budget_limit', 'budget_limit', 1]);
    await yard.client.sessions.retry(sessionId);
    expect(await untilAsked(yard)).toMatchObject({ sessionId, limit: { limit: 'budgetUsd', max: 0.04 } });
  });

  it('of yes to the money of an agent that has ended is kept', async () => {
    const yard = await open({ budgetUsd: 5 }, [
      { when: { user: 'later' }, reply: [long] },
      ...rules({ budgetUsd: 0.03 }),
    ]);
    await yard.ask('lead', { ...native, person: answering(1).person });
    const [agent] = await yard.agents();
    const id = agent?.sessionId ?? '';
    const send = async () => ({ id, ...(await yard.client.sessions.send(id, 'later')) });
    const first = await send();
    const question = await untilAsked(yard);
    await yard.client.questions.answer(question.id, question.options?.[0]?.label ?? '');
    const told = [await read(yard.client, first), await read(yard.client, await send())];
    expect(told.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect((await yard.agents())[0]?.budgetUsd).toBe(0.06);
  });

  it.each(engines)(
    'to a draft of %s comes after a restart, and the agent is drafted once',
    async (engine) => {
      const first = await open({ maxAgents: 1 }, [
        { when: { userIs: 'many', step: 0 }, reply: [draft('hi')] },
        { when: { userIs: 'many', step: 1 }, reply: [draft('ho')] },
        { reply: [{ text: 'ok' }] },
      ]);
      const wanted = { mode: 'bypassPermissions', role: 'coordinator', engine } as const;
      const { id } = await first.client.sessions.create(wanted);
      const { turnId } = await first.client.sessions.send(id, 'many');
      const question = await untilAsked(first);
      const second = await first.again();
      await second.client.questions.answer(question.id, question.options?.[0]?.label ?? '');
      const { outcome, outputs } = await read(second.client, { id, turnId });
      const agents = await second.agents();
      expect([outcome, agents.map(({ prompt }) => prompt)]).toEqual(['completed', ['hi', 'ho']]);
      expect(outputs).toMatchObject(agents.map(({ id: agentId }) => ({ agentId })));
    },
  );
});

it('an agent at the end of its run’s time is not cut off: its person is asked before its next step', async () => {
  const slow = {
    when: { user: 'talk', step: 0 },
    pace: { initialDelayMs: 2_500 },
    reply: [toolyard('list_tasks')],
  };
  const yard = await open({ wallMinutes: 0.03 }, [
    slow,
    { when: { user: 'talk' }, reply: [long] },
    ...rules(),
  ]);
  const { asked, person } = answering(0);
  const { outcome } = await yard.ask('lead', { ...native, person });
  const [agent] = await yard.agents();
  expect([outcome, agent?.status]).toEqual(['completed', 'done']);
  expect(asked.map(({ limit }) => limit?.limit)).toContain('wallMinutes');
});
