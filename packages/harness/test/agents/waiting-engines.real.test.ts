// Waiting with real engines: longer than one call may take, for the first of several, and for one that is taken away
// while its person is asked.
import { describe, expect, it } from 'vitest';
import { type EngineYard, engines, openEngineYard, read, setEngineStage, until } from './engine-yard.ts';

setEngineStage();

const toolyard = (name: string, input: object = {}) => ({ call: { tool: `mcp__toolyard__${name}`, input } });
const draft = (prompt: string, role = 'developer') => toolyard('draft_agent', { role, prompt });
const awaitResult = toolyard('await_agent', { agentId: '{{result.agentId}}' });
const asker =
  '---\nname: asker\ndescription: Asks\ncategory: coding\ntools: { allow: [mcp__toolyard__ping] }\n---\nAsk.\n';

const rules = [
  { when: { userIs: 'long', step: 0 }, reply: [draft('work slowly')] },
  { when: { userIs: 'long', results: { contains: '"status":"running"' } }, reply: [awaitResult] },
  { when: { userIs: 'long', step: 1 }, reply: [awaitResult] },
  { when: { user: 'work slowly' }, pace: { initialDelayMs: 4_000 }, reply: [{ text: 'Slow and sure.' }] },

  { when: { userIs: 'race', step: 0 }, reply: [draft('hang'), draft('work')] },
  {
    when: { userIs: 'race', step: 1 },
    reply: [toolyard('await_any_agent', { agentIds: ['{{results.0.agentId}}', '{{results.1.agentId}}'] })],
  },
  { when: { user: 'hang' }, pace: { initialDelayMs: 600_000 }, reply: [{ text: 'late' }] },

  { when: { userIs: 'lead', step: 0 }, reply: [draft('ask first', 'asker')] },
  { when: { userIs: 'lead', step: 1 }, reply: [awaitResult] },
  { when: { userIs: 'ask first', step: 0 }, reply: [toolyard('ping')] },
  { reply: [{ text: '{{user}} heard {{results}}' }] },
];

async function pendingOf({ client }: EngineYard, tool: string) {
  return (await client.approvals.list({ state: 'pending' })).items.find((each) => each.tool === tool);
}

it.concurrent.each(engines)(
  'who awaits longer than a call may take with %s hears that it runs, and asks again',
  async (engine) => {
    // A call that waits answers five seconds before its stream would be closed.
    const yard = await openEngineYard({ scenario: rules, config: { mcp: { streamTimeout: 6_000 } } });
    const { outcome, outputs } = await yard.ask('long', { engine });
    const [agent] = await yard.agents();
    const running = { agentId: agent?.id, status: 'running' };
    expect(outcome).toBe('completed');
    expect(outputs.slice(1, 3)).toEqual([running, running]);
    expect(outputs.at(-1)).toMatchObject({ status: 'done', result: { summary: 'Slow and sure.' } });
  },
);

it('who awaits the first of several hears of that one, and the others work on', async () => {
  const yard = await openEngineYard({ scenario: rules });
  const { outputs } = await yard.ask('race', { engine: 'native' });
  const [slow, quick] = await yard.agents();
  expect([outputs.at(-1), slow?.status]).toMatchObject([{ agentId: quick?.id, status: 'done' }, 'running']);
});

describe('an agent that waits for its person', () => {
  async function openAsking() {
    const yard = await openEngineYard({ scenario: rules, roles: { asker } });
    const { client } = yard;
    const { id } = await client.sessions.create({ engine: 'native', role: 'coordinator' });
    const { turnId } = await client.sessions.send(id, 'lead');
    await answerDraft(yard);
    const asked = await until('nobody was asked', async () => pendingOf(yard, 'mcp__toolyard__ping'));
    return { yard, id, turnId, asked };
  }

  async function answerDraft(yard: EngineYard) {
    const first = await until('nobody was asked', () => pendingOf(yard, 'mcp__toolyard__draft_agent'));
    await yard.client.approvals.answer(first.id, { decision: 'allow' });
  }

  it('P13: is killed, and nobody is asked any more, at the root neither', async () => {
    const { yard, id, asked } = await openAsking();
    const [agent] = await yard.agents();
    expect(agent?.status).toBe('waiting');
    expect(await yard.client.agents.kill(agent?.id ?? '')).toMatchObject({ success: true });
    expect(await yard.client.approvals.get(asked.id)).toMatchObject({ state: 'cancelled' });
    for await (const event of yard.client.sessions.events(id, { signal: AbortSignal.timeout(10_000) }))
      if (event.type === 'approval_resolved' && event.data.approvalId === asked.id) {
        expect(event.data.state).toBe('cancelled');
        break;
      }
  });

  it('P13: ends with its root, when that is interrupted', async () => {
    const { yard, id, asked } = await openAsking();
    const began = performance.now();
    await yard.client.sessions.interrupt(id);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect((await yard.agents()).map(({ status }) => status)).toEqual(['killed']);
    expect(await yard.client.approvals.get(asked.id)).toMatchObject({ state: 'cancelled' });
  });
});

it.each(engines)(
  'a turn that waits over a restart with %s has the steps that it had left, not all of them again',
  async (engine) => {
    const first = await openEngineYard({
      scenario: [
        { when: { userIs: 'many', step: 2 }, reply: [toolyard('create_task', { slug: 'asked' })] },
        { when: { userIs: 'many' }, reply: [toolyard('list_tasks')] },
      ],
      config: { limits: { maxSteps: 4, maxRepeats: 100 } },
    });
    const { id } = await first.client.sessions.create({ engine, role: 'coordinator', mode: 'default' });
    const { turnId } = await first.client.sessions.send(id, 'many');
    await until('nobody was asked', () => pendingOf(first, 'mcp__toolyard__create_task'));
    const { client } = await first.again();
    const told = await read(client, { id, turnId }, { approve: () => ({ decision: 'allow' }) });
    const steps = told.events.filter(({ type }) => type === 'usage').length;
    expect([told.outcome, told.code, steps]).toEqual(['limit', 'step_limit', 4]);
  },
);
