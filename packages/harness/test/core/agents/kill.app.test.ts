// P13: who is killed is gone, with all under it, before the answer comes.
import { describe, expect, it } from 'vitest';
import { readUntil } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputOf, outputsOf, type Script } from './stage.ts';

const wait: Script = () => [{ text: 'Waiting.' }, { untilAborted: true }];

/** Drafts one that drafts another, all of which work for ever. */
const nest: Script = ({ step, text }) => {
  if (step > 0) return [{ untilAborted: true }];
  return text === 'nest 1' ? [draft('wait')] : [draft('nest 1', { role: 'coordinator' })];
};

async function openNest() {
  const yard = await openAgentYard({ nest, wait });
  const { client } = yard;
  const session = await client().sessions.create({ role: 'coordinator' });
  await client().sessions.send(session.id, 'nest');
  await readUntil(
    yard,
    session.id,
    (event) =>
      event.type === 'agent_update' && event.data.agent.depth === 2 && event.data.agent.status === 'running',
  );
  const [deep, child] = await yard.agents();
  if (!deep || !child) throw new Error('two agents were drafted');
  return { yard, session, deep, child };
}

describe('kill', () => {
  it('ends an agent and all that it has drafted, and answers when they are gone', async () => {
    const { yard, deep, child } = await openNest();
    const killed = await yard.client().agents.kill(child.id);
    expect(killed).toEqual({
      success: true,
      message: expect.stringContaining('1 under it'),
      killed: [child.id, deep.id],
    });
    expect(await yard.agents()).toMatchObject([
      { id: deep.id, status: 'killed', error: { code: 'killed' }, endedAt: expect.any(String) },
      { id: child.id, status: 'killed' },
    ]);
    const statuses = await Promise.all(
      [deep, child].map(async ({ sessionId }) => (await yard.client().sessions.get(sessionId)).status),
    );
    expect(statuses).toEqual(['idle', 'idle']);
  });

  it('a second kill says that there was nothing to end, and awaiting answers the same a hundred times', async () => {
    const { yard, child } = await openNest();
    await yard.client().agents.kill(child.id);
    expect(await yard.client().agents.kill(child.id)).toMatchObject({ success: false, killed: [] });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => yard.client().agents.await(child.id)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 'killed', result: { reported: false } });
  });

  it('interrupting the root ends its tree', async () => {
    const { yard, session } = await openNest();
    await yard.client().sessions.interrupt(session.id);
    expect((await yard.agents()).map(({ status }) => status)).toEqual(['killed', 'killed']);
  });

  it('one that still waits for its turn is ended, too', async () => {
    const yard = await openAgentYard(
      {
        Plan: (turn) => {
          if (turn.step === 0) return [draft('wait 1'), draft('wait 2')];
          if (turn.step === 1) return [call('kill_agent', { agentId: outputOf(turn).agentId })];
          return [{ text: 'ok' }];
        },
        wait,
      },
      { limits: { concurrency: 1 } },
    );
    const { events } = await yard.ask('Plan');
    expect(outputsOf(events).at(-1)).toMatchObject({ success: true });
    expect((await yard.agents()).map(({ status }) => status)).toEqual(['killed', 'running']);
  });

  it('a stranger’s agent can neither be awaited nor killed', async () => {
    const yard = await openAgentYard({
      Plan: ({ step }) => (step === 0 ? [draft('wait')] : [{ text: 'ok' }]),
      wait,
      Steal: ({ step, text }) => {
        const agentId = text.split(' ')[1];
        if (step === 0)
          return [call('await_agent', { agentId, timeoutSeconds: 0 }), call('kill_agent', { agentId })];
        return [{ text: 'ok' }];
      },
    });
    await yard.ask('Plan');
    const [agent] = await yard.agents();
    const { events } = await yard.ask(`Steal ${agent?.id}`);
    expect(outputsOf(events)).toEqual([
      expect.stringMatching(/^not_your_agent: /),
      expect.stringMatching(/^not_your_agent: /),
    ]);
    expect(await yard.client().agents.get(agent?.id ?? '')).toMatchObject({ status: 'running' });
  });
});
