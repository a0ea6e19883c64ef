// What the role of a drafted agent says of tokens, time and number holds for it and all under it, and for nobody else.
import type { Role } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { readUntil } from '../../support/yard.ts';
import {
  type AgentYard,
  call,
  draft,
  openAgentYard,
  outputOf,
  outputsOf,
  type Script,
} from '../agents/stage.ts';

const bounded = (limits: Role['limits']): Role => ({
  name: 'bounded',
  description: 'Has limits',
  category: 'conversational',
  instructions: '',
  source: 'code' as const,
  file: '',
  tools: { allow: [], deny: [], tiers: {} },
  limits,
});

/** Drafts one into the role, waits for it, then drafts one beside it. */
const plan: Script = (turn) => {
  const { agentId } = outputOf(turn) ?? {};
  if (turn.step === 0) return [draft('lead', { role: 'bounded' })];
  if (turn.step === 1) return [call('await_agent', { agentId })];
  if (turn.step === 2) return [draft('beside')];
  return turn.step === 3 ? [call('await_agent', { agentId })] : [{ text: 'ok' }];
};
const done: Script = () => [{ text: 'Done.' }];

async function open(limits: Role['limits'], lead: Script): Promise<AgentYard> {
  const scripts = { Plan: plan, lead, work: done, beside: done };
  return openAgentYard(scripts, { roles: [bounded(limits)], limits: { concurrency: 8 } });
}

/** Drafts so many and waits for each of them. */
const leads =
  (agents: number, said = 0): Script =>
  (turn) => {
    const words = Array.from({ length: said }, () => ({ text: '.' }));
    if (turn.step === 0) return [...Array.from({ length: agents }, (_, at) => draft(`work ${at}`)), ...words];
    const ids = turn.outcomes.flatMap(({ output }) => (isDrafted(output) ? [output.agentId] : []));
    return turn.step === 1 ? ids.map((agentId) => call('await_agent', { agentId })) : [{ text: 'Led.' }];
  };

function isDrafted(output: unknown): output is { agentId: string } {
  return typeof output === 'object' && output !== null && 'agentId' in output;
}

async function endsOf(yard: AgentYard) {
  const agents = (await yard.agents()).sort((one, other) => one.prompt.localeCompare(other.prompt));
  return agents.map(({ prompt, status, error }) => [prompt, error?.code ?? status]);
}

describe('the limits of a drafted agent’s role', () => {
  it('tokens: no step is made under it once they are used, and others go on', async () => {
    const yard = await open({ tokens: 100 }, leads(1, 100));
    const { events } = await yard.ask('Plan');
    expect(await endsOf(yard)).toEqual([
      ['beside', 'done'],
      ['lead', 'done'],
      ['work 0', 'budget_limit'],
    ]);
    const [lead, work] = (await yard.agents()).filter(({ prompt }) => prompt !== 'beside').reverse();
    expect(work?.error?.data).toEqual({
      limit: 'tokens',
      max: 100,
      used: 111,
      agentId: lead?.id,
      isFixed: true,
    });
    expect(work?.error?.message).toContain(
      `The agent ${lead?.id}, with all agents under it, has reached its limit of 100 tokens`,
    );
    expect(outputsOf(events)).toHaveLength(4);
  });

  it('wallMinutes: it expires with all under it, and others go on', async () => {
    const stay: Script = ({ step }) => (step === 0 ? [draft('stay')] : [{ untilAborted: true }]);
    const scripts = { Plan: plan, lead: stay, stay: () => [{ untilAborted: true as const }], beside: done };
    const yard = await openAgentYard(scripts, { roles: [bounded({ wallMinutes: 0.01 })] });
    await yard.ask('Plan');
    const agents = await yard.agents();
    expect(
      agents
        .map(({ status }) => status)
        .sort()
        .slice(0, 2),
    ).toEqual(['done', 'expired']);
    const lead = agents.find(({ prompt }) => prompt === 'lead');
    expect(lead?.error).toMatchObject({ code: 'time_limit', data: { agentId: lead?.id, max: 0.01 } });
    // Killed by the one above it, if its own clock was behind.
    const under = agents.find(({ prompt }) => prompt === 'stay');
    expect(['expired', 'killed']).toContain(under?.status);
  });

  it.each([
    [{ maxAgents: 2 }, '2 agents', 'limits.maxAgents'],
    [{ spawnPerMinute: 2 }, '2 new agents per minute', 'limits.spawnPerMinute'],
  ])('%j: no more are drafted under it, at any depth, and others go on', async (limits, max, name) => {
    const deep: Script = (turn) => {
      const { agentId } = outputOf(turn) ?? {};
      if (turn.step === 0)
        return [draft(turn.text === 'lead' ? 'dig 1' : 'dig more', { role: 'coordinator' })];
      return turn.step === 1 && agentId ? [call('await_agent', { agentId })] : [{ text: 'ok' }];
    };
    const yard = await openAgentYard(
      { Plan: plan, lead: deep, dig: deep, beside: done },
      { roles: [bounded(limits)], limits: { maxDepth: 9 } },
    );
    await yard.ask('Plan');
    const agents = (await yard.agents()).reverse();
    expect(agents.map(({ prompt }) => prompt)).toEqual(['lead', 'dig 1', 'dig more', 'beside']);
    const last = agents.find(({ prompt }) => prompt === 'dig more');
    const said = await readUntil(yard, last?.sessionId ?? '', ({ type }) => type === 'turn_end');
    const whose = `The agent ${agents[0]?.id}, with all agents under it, has reached its limit of ${max}\\.`;
    expect(outputsOf(said)).toEqual([expect.stringMatching(`^agent_limit: ${whose}.*\\(${name}\\)$`)]);
  });
});
