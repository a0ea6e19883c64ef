// P8, P9: depth, width, number, rate, money, tokens and time of a run hold, whoever drafts and however fast.
import { describe, expect, it } from 'vitest';
import { converse } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputsOf, type Script } from '../agents/stage.ts';

/** Drafts five like itself, waits for nobody, and stops. */
const breed: Script = ({ step }) =>
  step === 0
    ? Array.from({ length: 5 }, (_, at) => draft(`breed ${at}`, { role: 'coordinator' }))
    : [{ text: 'Bred.' }];

async function untilQuiet(yard: Awaited<ReturnType<typeof openAgentYard>>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const { items } = await yard.client().agents.list({ limit: 500 });
    if (items.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('agents still work');
}

describe('P9: an agent that always drafts five', () => {
  it('stops at the number of agents that a run may draft', async () => {
    const limits = { maxAgents: 12, maxDepth: 8, spawnPerMinute: 1_000, maxChildren: 5 };
    const yard = await openAgentYard({ breed }, { limits });
    await yard.ask('breed');
    await untilQuiet(yard);
    expect(await yard.agents()).toHaveLength(12);
  });

  it('stops at the depth', async () => {
    const limits = { maxAgents: 1_000, maxDepth: 2, spawnPerMinute: 1_000, maxChildren: 5 };
    const yard = await openAgentYard({ breed }, { limits });
    await yard.ask('breed');
    await untilQuiet(yard);
    const agents = await yard.agents();
    expect(agents).toHaveLength(5 + 25);
    expect(Math.max(...agents.map(({ depth }) => depth))).toBe(2);
  });

  it('stops at the rate', async () => {
    const limits = { maxAgents: 1_000, maxDepth: 8, spawnPerMinute: 7, maxChildren: 5 };
    const yard = await openAgentYard({ breed }, { limits });
    await yard.ask('breed');
    await untilQuiet(yard);
    expect(await yard.agents()).toHaveLength(7);
  });

  it('has at most so many live children, and hears the number', async () => {
    const limits = { maxChildren: 2, concurrency: 8 };
    const yard = await openAgentYard({ Plan: breed, breed: () => [{ untilAborted: true }] }, { limits });
    const { events } = await yard.ask('Plan');
    const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.data] : []));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(2);
    expect(results.filter(({ isError }) => isError).map(({ output }) => output)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.stringMatching(/^agent_limit: The limit of 2 running agents .* \(limits\.maxChildren\)$/),
      ),
    );
  });

  it('the counters survive a restart', async () => {
    const limits = { maxAgents: 3, maxChildren: 10 };
    const first = await openAgentYard({ Plan: breed, breed: () => [{ text: 'ok' }] }, { limits });
    const session = await first.client().sessions.create({ role: 'coordinator' });
    await converse(first, session.id, 'Plan');
    await untilQuiet(first);
    const run = (await first.agents())[0]?.runId ?? '';
    await first.close();
    const second = await openAgentYard({ Plan: breed }, { limits, home: first.home });
    expect(await second.client().runs.get(run)).toMatchObject({ used: { agents: 3, live: 0 } });
    expect(await second.agents()).toHaveLength(3);
  });
});

describe('what a role says of limits', () => {
  it('narrows those of the configuration and never widens them', async () => {
    const role = (name: string, limits: object) => ({
      name,
      description: name,
      category: 'conversational',
      instructions: '',
      source: 'code' as const,
      file: '',
      tools: { allow: [], deny: [], tiers: {} },
      limits,
    });
    const yard = await openAgentYard(
      { Plan: breed, breed: () => [{ untilAborted: true }] },
      {
        limits: { maxChildren: 3 },
        roles: [role('strict', { maxChildren: 1 }), role('lax', { maxChildren: 100 })],
      },
    );
    const strict = await yard.ask('Plan', { role: 'strict' });
    expect(outputsOf(strict.events).filter((output) => typeof output === 'object')).toHaveLength(1);
    const lax = await yard.ask('Plan', { role: 'lax' });
    expect(outputsOf(lax.events).filter((output) => typeof output === 'object')).toHaveLength(3);
  });
});

describe('the same call again and again', () => {
  it('is refused after so many in a row, unless it only waits', async () => {
    const yard = await openAgentYard(
      { Plan: ({ step }) => (step < 5 ? [call('list_tasks')] : [{ text: 'ok' }]) },
      { limits: { maxRepeats: 3 } },
    );
    const { events } = await yard.ask('Plan');
    const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.data.isError] : []));
    expect(results).toEqual([false, false, false, true, true]);
  });

  it('ends the turn once it was refused as often as it was made', async () => {
    const yard = await openAgentYard(
      { Plan: () => [call('list_tasks')] },
      { limits: { maxRepeats: 3, maxSteps: 50 } },
    );
    const { events } = await yard.ask('Plan');
    const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.data.isError] : []));
    expect(results).toEqual([false, false, false, true, true, true]);
    expect(events.findLast(({ type }) => type === 'turn_end')?.data).toMatchObject({
      outcome: 'limit',
      error: { code: 'step_limit', message: expect.stringContaining('limits.maxRepeats') },
    });
  });

  it('is counted from the start after another call', async () => {
    const other = (step: number) => call(step % 4 === 3 ? 'list_agents' : 'list_tasks');
    const yard = await openAgentYard(
      { Plan: ({ step }) => (step < 20 ? [other(step)] : [{ text: 'ok' }]) },
      { limits: { maxRepeats: 3, maxSteps: 50 } },
    );
    const { events } = await yard.ask('Plan');
    const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.data.isError] : []));
    expect(results).toEqual(Array.from({ length: 20 }, () => false));
  });
});

it('agents that are queued begin as soon as more may work at once', async () => {
  const yard = await openAgentYard({ stay: () => [{ text: 'Here.' }, { untilAborted: true }] });
  const { config, agents } = yard.client();
  const working = async () => (await agents.list()).items.filter(({ status }) => status === 'running').length;
  await config.change({ limits: { concurrency: 1 } });
  for (let count = 0; count < 3; count++) await agents.draft({ role: 'developer', prompt: 'stay' });
  await expect.poll(working).toBe(1);
  await config.change({ limits: { concurrency: 3 } });
  await expect.poll(working).toBe(3);
});
