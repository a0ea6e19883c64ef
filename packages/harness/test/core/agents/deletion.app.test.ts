// Sessions of agents are sessions, and can be deleted: what works in them ends first, whoever waits hears of it, and what a
// task remembers of the work stays.
import { ToolyardError } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { isEndOf, readUntil } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputOf, outputsOf, type Script } from './stage.ts';

const lead: Script = (turn) => {
  if (turn.step === 0) return [draft(turn.text === 'lead' ? 'lead on' : 'hang', { role: 'coordinator' })];
  if (turn.step === 1) return [call('await_agent', { agentId: outputOf(turn).agentId })];
  return [{ text: 'ended' }];
};

/** A root that waits for an agent that waits for an agent that works for ever. */
async function openChain() {
  const yard = await openAgentYard({ lead, hang: () => [{ untilAborted: true }] });
  const client = yard.client();
  const { id } = await client.sessions.create({ role: 'coordinator' });
  const { turnId } = await client.sessions.send(id, 'lead');
  await readUntil(
    yard,
    id,
    ({ type, data }) => type === 'agent_update' && data.agent.depth === 2 && data.agent.status === 'running',
  );
  const [deep, child] = await yard.agents();
  if (!deep || !child) throw new Error('two agents were drafted');
  return { yard, client, id, turnId, deep, child };
}

it('whoever waits for an agent whose session is deleted hears that it was killed', async () => {
  const { yard, client, id, turnId, deep, child } = await openChain();
  await client.sessions.delete(deep.sessionId);
  const events = await readUntil(yard, id, isEndOf(turnId));
  expect(outputsOf(events).at(-1)).toMatchObject({ agentId: child.id, status: 'done' });
  expect((await yard.agents()).map(({ status }) => status)).toEqual(['killed', 'done']);
  expect((await client.tasks.get(child.taskSlug)).dispatchCount).toBeGreaterThan(0);
});

it('P13: with a root its whole tree ends, and nothing of it goes on', async () => {
  const { client, id, deep, child } = await openChain();
  await client.sessions.delete(id);
  expect((await client.agents.list()).items).toEqual([]);
  const left = await Promise.all(
    [id, child.sessionId, deep.sessionId].map((each) =>
      client.sessions.get(each).then(
        ({ status }) => status,
        (thrown: unknown) => (thrown instanceof ToolyardError ? thrown.code : thrown),
      ),
    ),
  );
  expect(left).toEqual(['session_not_found', 'session_not_found', 'session_not_found']);
});
