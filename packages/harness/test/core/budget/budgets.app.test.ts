// What an agent is shown to have: its own budget, or what its run or whoever drafted it has for it.
import type { Role } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { draft, openAgentYard } from '../agents/stage.ts';

const scripts = {
  Plan: ({ step }: { step: number }) =>
    step === 0 ? [draft('done', { budgetUsd: 0.5 }), draft('done')] : [{ text: 'ok' }],
  done: () => [{ text: 'ok' }],
};
const thrifty: Role = {
  name: 'thrifty',
  description: 'Spends little',
  category: 'coding',
  instructions: '',
  source: 'code' as const,
  file: '',
  tools: { allow: [], deny: [], tiers: {} },
  limits: { budgetUsd: 1 },
};

describe('the budget of an agent', () => {
  it('that a person has drafted is that of its run, unless it was given less', async () => {
    const yard = await openAgentYard(scripts, { limits: { budgetUsd: 3 }, roles: [thrifty] });
    const { agents, runs } = yard.client();
    const drafted = async (wanted: object) => {
      const { id, runId } = await agents.draft({ role: 'developer', prompt: 'done', ...wanted });
      await agents.await(id);
      return [(await agents.get(id)).budgetUsd, (await runs.get(runId)).limits.budgetUsd];
    };
    expect(await drafted({})).toEqual([3, 3]);
    expect(await drafted({ budgetUsd: 2 })).toEqual([2, 3]);
    expect(await drafted({ budgetUsd: 5 })).toEqual([3, 3]);
    expect(await drafted({ role: 'thrifty' })).toEqual([1, 1]);
  });

  it('that an agent has drafted is at most what is left to that one', async () => {
    const yard = await openAgentYard(scripts, { limits: { budgetUsd: 3 } });
    await yard.ask('Plan');
    expect((await yard.agents()).map(({ budgetUsd }) => budgetUsd).sort()).toEqual([0.5, 3]);
  });
});
