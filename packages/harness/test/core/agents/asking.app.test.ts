// What an agent under a session asks is asked at the root, and answering there resumes the right session.
import { emptyView, reduce } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { isEndOf, readUntil } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputOf, outputsOf, type Script, tool } from './stage.ts';

const coordinate: Script = (turn) => {
  if (turn.step === 0) return [draft('ask for it', { role: 'assistant' })];
  if (turn.step === 1) return [call('await_agent', { agentId: outputOf(turn).agentId })];
  return [{ text: 'ok' }];
};

const ask: Script = ({ step }) => (step === 0 ? [call('ping')] : [{ text: 'Pinged.' }]);

async function openAsking(limits = {}) {
  const yard = await openAgentYard(
    { Plan: coordinate, ask },
    {
      overlay: {
        limits,
        toolApproval: { perTool: { mcp__toolyard__draft_agent: 'auto' } },
      },
    },
  );
  const session = await yard.client().sessions.create({ role: 'coordinator' });
  const { turnId } = await yard.client().sessions.send(session.id, 'Plan');
  return { yard, session, turnId };
}

describe('a descendant’s approval', () => {
  it('stands in the root’s log with its lineage, and its answer lets the agent go on', async () => {
    const { yard, session, turnId } = await openAsking({ concurrency: 1 });
    const before = await readUntil(yard, session.id, ({ type }) => type === 'approval_required');
    const asked = before.find((event) => event.type === 'approval_required');
    if (asked?.type !== 'approval_required') throw new Error('nobody asked');
    const { approval } = asked.data;
    const [agent] = await yard.agents();
    expect(agent).toMatchObject({ status: 'waiting', sessionId: approval.sessionId });
    expect(approval).toMatchObject({
      sessionId: agent?.sessionId,
      rootSessionId: session.id,
      lineage: { rootSessionId: session.id, agentId: agent?.id, depth: 1 },
    });
    const view = before.reduce(reduce, emptyView);
    expect(view).toMatchObject({ status: 'running', approvals: [{ id: approval.id }] });
    await yard.client().approvals.answer(approval.id, { decision: 'allow' });
    const events = await readUntil(yard, session.id, isEndOf(turnId));
    expect(events.reduce(reduce, emptyView)).toMatchObject({ status: 'idle', approvals: [] });
    expect(outputsOf(events).at(-1)).toMatchObject({ status: 'done', result: { summary: 'Pinged.' } });
    const audit = await yard.client().audit.list({ sessionId: approval.sessionId });
    expect(audit.items.map(({ lineage }) => lineage)).toEqual(
      audit.items.map(() => ({ rootSessionId: session.id, agentId: agent?.id, depth: 1 })),
    );
  });
});

it('an agent that is asked for still waits when an agent that it awaited at the same time has ended', async () => {
  const perTool = { [tool('draft_agent')]: 'auto', [tool('ping')]: 'always' } as const;
  const yard = await openAgentYard(
    {
      lead: (turn) => {
        if (turn.step === 0) return [draft('stay')];
        return [call('await_agent', { agentId: outputOf(turn).agentId }), call('ping')];
      },
      stay: () => [{ untilAborted: true }],
    },
    { overlay: { toolApproval: { perTool } } },
  );
  const client = yard.client();
  const lead = await client.agents.draft({ role: 'coordinator', prompt: 'lead' });
  await readUntil(yard, lead.sessionId, ({ type }) => type === 'approval_required');
  const child = (await yard.agents()).find(({ prompt }) => prompt === 'stay');
  await client.agents.kill(child?.id ?? '');
  let results = 0;
  await readUntil(yard, lead.sessionId, ({ type }) => type === 'tool_result' && ++results === 2);
  const session = await client.sessions.get(lead.sessionId);
  expect([session.status, (await client.agents.get(lead.id)).status]).toEqual(['waiting', 'waiting']);
});

describe('a limit with onLimit: ask', () => {
  it('asks the person, and a yes raises it', async () => {
    const yard = await openAgentYard(
      {
        Plan: ({ step }) => (step === 0 ? [draft('stay 1'), draft('stay 2')] : [{ text: 'ok' }]),
        stay: () => [{ untilAborted: true }],
      },
      { limits: { maxChildren: 1, onLimit: 'ask' } },
    );
    const session = await yard.client().sessions.create({ role: 'coordinator' });
    const { turnId } = await yard.client().sessions.send(session.id, 'Plan');
    const before = await readUntil(yard, session.id, ({ type }) => type === 'question_required');
    const asked = before.find((event) => event.type === 'question_required');
    if (asked?.type !== 'question_required') throw new Error('nobody asked');
    const { question } = asked.data;
    expect(question.text).toContain('limits.maxChildren');
    await yard.client().questions.answer(question.id, question.options?.[0]?.label ?? '');
    await readUntil(yard, session.id, isEndOf(turnId));
    expect(await yard.agents()).toHaveLength(2);
  });

  it('is raised for those below, too, so that nobody is asked the same twice', async () => {
    const dig: Script = (turn) => {
      if (turn.step === 0 && turn.text !== 'dig 2')
        return [draft(turn.text === 'dig' ? 'dig 1' : 'dig 2', { role: 'coordinator' })];
      const { agentId } = outputOf(turn) ?? {};
      return turn.step === 1 && agentId ? [call('await_agent', { agentId })] : [{ text: 'ok' }];
    };
    const yard = await openAgentYard({ dig }, { limits: { maxDepth: 1, onLimit: 'ask' } });
    const session = await yard.client().sessions.create({ role: 'coordinator' });
    const { turnId } = await yard.client().sessions.send(session.id, 'dig');
    const asked = (await readUntil(yard, session.id, ({ type }) => type === 'question_required')).at(-1);
    if (asked?.type !== 'question_required') throw new Error('nobody asked');
    const { id, options } = asked.data.question;
    await yard.client().questions.answer(id, options?.[0]?.label ?? '');
    const events = await readUntil(yard, session.id, isEndOf(turnId));
    expect(events.filter(({ type }) => type === 'question_required')).toHaveLength(1);
    expect((await yard.agents()).map(({ depth, status }) => [depth, status])).toEqual([
      [2, 'done'],
      [1, 'done'],
    ]);
  });
});
