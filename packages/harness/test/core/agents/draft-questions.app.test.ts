// Drafting at a limit with `onLimit: ask`: whose person is asked, how long the call waits, and how long a no counts.
import { pause, type Question } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { isInterruptedDraft } from '../../../src/core/calls/resume.ts';
import { addSession, at, sessionId, toDispatch, toId } from '../../store/rows.ts';
import { newPath, openTestStore } from '../../store/support.ts';
import { isEndOf, readUntil } from '../../support/yard.ts';
import { type AgentYard, draft, openAgentYard, outputsOf, type Script } from './stage.ts';

/** Drafts two at once, one more in its next step, and another in the one after. */
const plan: Script = ({ step }) => {
  if (step === 0) return [draft('work 1'), draft('work 2')];
  return step < 3 ? [draft(`work ${step + 2}`)] : [{ text: 'ok' }];
};
const scripts = { Plan: plan, One: () => [{ text: 'ok' }], work: () => [{ text: 'Done.' }] };
const limits = { maxAgents: 1, onLimit: 'ask' } as const;

const pendingIn = async (yard: AgentYard) => (await yard.client().questions.list({ state: 'pending' })).items;

async function untilAsked(yard: AgentYard): Promise<Question> {
  for (let tries = 0; tries < 500; tries++) {
    const [question] = await pendingIn(yard);
    if (question) return question;
    await pause(10);
  }
  throw new Error('nobody was asked');
}

async function send(yard: AgentYard, id: string) {
  return { id, ...(await yard.client().sessions.send(id, 'Plan')) };
}

async function begin(yard: AgentYard) {
  return send(yard, (await yard.client().sessions.create({ role: 'coordinator' })).id);
}

async function answer(yard: AgentYard, { id, options }: Question, at: 0 | 1): Promise<void> {
  await yard.client().questions.answer(id, options?.[at]?.label ?? '');
}

describe('a person who drafts for a session at a limit', () => {
  it('hears it and is not asked, and the session is as it was', async () => {
    const yard = await openAgentYard(scripts, { limits: { maxDepth: 0, onLimit: 'ask' } });
    const { sessionId: id } = await yard.ask('One');
    const wanted = { role: 'developer', prompt: 'work', sessionId: id };
    await expect(yard.client().agents.draft(wanted)).rejects.toMatchObject({ code: 'agent_limit' });
    expect([await pendingIn(yard), (await yard.client().sessions.get(id)).status]).toEqual([[], 'idle']);
  });
});

describe('a call that drafts at a limit', () => {
  it('waits for the answer longer than a call may take', async () => {
    const overlay = { limits, tools: { deadlineMs: 50 }, defaults: { mode: 'bypassPermissions' as const } };
    const yard = await openAgentYard(scripts, { overlay });
    const { id, turnId } = await begin(yard);
    await untilAsked(yard);
    // The deadline of the call, and the second in which a call that has met it must stop.
    await pause(1_050);
    for (const _ of [2, 3, 4]) await answer(yard, await untilAsked(yard), 0);
    await readUntil(yard, id, isEndOf(turnId));
    expect(await yard.agents()).toHaveLength(4);
  });

  it('waits over a restart, too, and drafts once with the answer', async () => {
    const first = await openAgentYard(scripts, { limits });
    const { id, turnId } = await begin(first);
    const question = await untilAsked(first);
    const [drafted] = await first.agents();
    await first.close();
    const second = await openAgentYard(scripts, { limits, home: first.home });
    expect(await untilAsked(second)).toMatchObject({ id: question.id });
    await answer(second, question, 0);
    for (const _ of [3, 4]) await answer(second, await untilAsked(second), 0);
    const events = await readUntil(second, id, isEndOf(turnId));
    const agents = (await second.agents()).reverse();
    expect(agents.map(({ prompt }) => prompt)).toEqual(['work 1', 'work 2', 'work 3', 'work 4']);
    expect(agents[0]?.id).toBe(drafted?.id);
    expect(outputsOf(events)).toMatchObject(agents.map(({ id: agentId }) => ({ agentId })));
  });

  it('P5: is not run again after a restart when its agent is stored', async () => {
    const { store } = await openTestStore(newPath());
    for (const number of [1, 2]) await addSession(store, number);
    const [turnId, callId] = [toId('trn', 7), 'call'];
    await store.commit(async (tx) => {
      await tx.insertTask({ slug: 'a', description: '', createdAt: at });
      const call = { turnId, toolCallId: callId };
      await tx.insertDispatch({ ...toDispatch(1, 'a'), parentSessionId: sessionId(1), call });
      await tx.insertDispatch({ ...toDispatch(2, 'a'), parentSessionId: sessionId(1) });
    });
    const row = {
      turnId,
      callId,
      sessionId: sessionId(1),
      tool: 'mcp__toolyard__draft_agent',
      input: {},
      state: 'started' as const,
      askedAt: at,
    };
    const calls = [row, { ...row, callId: 'other' }, { ...row, turnId: toId('trn', 8) }];
    const others = [{ ...row, callId: 'other', tool: 'mcp__toolyard__ping' }];
    const answers = [...calls, ...others].map((each) => isInterruptedDraft(store.reads, each));
    expect(await Promise.all(answers)).toEqual([false, true, true, false]);
  });
});

describe('a no at a limit', () => {
  it('counts for all who meet it afterwards, until their person sends another message', async () => {
    const yard = await openAgentYard(scripts, { limits });
    const first = await begin(yard);
    await answer(yard, await untilAsked(yard), 1);
    const events = await readUntil(yard, first.id, isEndOf(first.turnId));
    expect(events.filter(({ type }) => type === 'question_required')).toHaveLength(1);
    const refused = expect.stringContaining('limits.maxAgents');
    expect(outputsOf(events)).toEqual([expect.anything(), refused, refused, refused]);
    const { turnId } = await send(yard, first.id);
    await answer(yard, await untilAsked(yard), 1);
    const more = await readUntil(yard, first.id, isEndOf(turnId));
    expect(more.filter(({ type }) => type === 'question_required')).toHaveLength(2);
  });
});
