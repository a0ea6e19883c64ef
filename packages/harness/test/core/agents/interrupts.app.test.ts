// P13: at whatever moment a root is interrupted or an agent is killed, nothing goes on under it afterwards.
import { pause } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { rounds } from '../../support/soak.ts';
import { draft, openAgentYard, type Script } from './stage.ts';

const count = rounds({ short: 8, full: 25 });
/** Another moment each time, in the first twenty milliseconds. */
const momentOf = (round: number) => (round * 7) % 20;
const limits = { maxChildren: 1_000, maxAgents: 1_000, spawnPerMinute: 10_000, maxDepth: 3, concurrency: 8 };

/** Drafts two that do the same, again and again. */
const breed: Script = ({ step }) => [
  draft(`breed a${step}`, { role: 'coordinator' }),
  draft(`breed b${step}`, { role: 'coordinator' }),
];

it('P13: whenever a root is interrupted, all that it drafted has ended', async () => {
  const yard = await openAgentYard({ breed }, { limits });
  const client = yard.client();
  const left: unknown[] = [];
  for (let round = 0; round < count; round++) {
    const { id } = await client.sessions.create({ role: 'coordinator' });
    await client.sessions.send(id, 'breed');
    await pause(momentOf(round));
    await client.sessions.interrupt(id);
    const { items } = await client.agents.list({ rootSessionId: id, limit: 500 });
    left.push(...items.map(({ id: agentId, status, depth }) => ({ round, agentId, status, depth })));
    for (const { id: agentId } of items) await client.agents.kill(agentId);
  }
  expect(left).toEqual([]);
  // Nor has anybody come later.
  expect((await client.agents.list({ limit: 500 })).items).toEqual([]);
});

it('P13: whenever an agent is killed, all that it drafted has ended before the answer', async () => {
  const yard = await openAgentYard({ breed }, { limits });
  const client = yard.client();
  const left: unknown[] = [];
  for (let round = 0; round < count; round++) {
    const { id, rootSessionId } = await client.agents.draft({ role: 'coordinator', prompt: 'breed' });
    await pause(momentOf(round));
    const { success } = await client.agents.kill(id);
    const { items } = await client.agents.list({ rootSessionId, limit: 500 });
    left.push(...items.map(({ id: agentId, status, depth }) => ({ round, success, agentId, status, depth })));
    for (const { id: agentId } of items) await client.agents.kill(agentId);
  }
  expect(left).toEqual([]);
});
