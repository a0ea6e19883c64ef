// What a review broke, held: kill with messages behind it, uncounted steps, raised budgets, down time, awaits, leaks.
import { describe, expect, it } from 'vitest';
import { isEndOf, readUntil } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputsOf, type Script } from '../agents/stage.ts';

const stay: Script = () => [{ text: 'Here.' }, { untilAborted: true }];

describe('kill', () => {
  it('ends what is queued in the agent’s session, and what was sent to it after its end', async () => {
    const yard = await openAgentYard({ stay, done: () => [{ text: 'ok' }] });
    const { client } = yard;
    const agent = await client().agents.draft({ role: 'developer', prompt: 'stay' });
    await readUntil(yard, agent.sessionId, ({ type }) => type === 'text_delta');
    const { turnId } = await client().sessions.send(agent.sessionId, 'stay on');
    expect(await client().agents.kill(agent.id)).toMatchObject({ success: true });
    const events = await readUntil(yard, agent.sessionId, isEndOf(turnId));
    expect(events.filter(({ type }) => type === 'turn_start')).toHaveLength(1);
    expect(await client().sessions.get(agent.sessionId)).toMatchObject({ status: 'idle' });

    const ended = await client().agents.draft({ role: 'developer', prompt: 'done' });
    await client().agents.await(ended.id);
    const later = await client().sessions.send(ended.sessionId, 'stay');
    await readUntil(
      yard,
      ended.sessionId,
      ({ type, data }) => type === 'text_delta' && data.text === 'Here.',
    );
    expect(await client().agents.kill(ended.id)).toMatchObject({ success: true });
    expect((await readUntil(yard, ended.sessionId, isEndOf(later.turnId))).at(-1)).toMatchObject({
      data: { outcome: 'interrupted' },
    });
  });
});

describe('an ended agent', () => {
  it('is answered the same, whatever is spent under it or in its session later', async () => {
    const yard = await openAgentYard({ done: () => [{ text: 'ok' }] });
    const { client } = yard;
    const agent = await client().agents.draft({ role: 'developer', prompt: 'done' });
    const before = await client().agents.await(agent.id);
    const { turnId } = await client().sessions.send(agent.sessionId, 'done again');
    await readUntil(yard, agent.sessionId, isEndOf(turnId));
    expect(await client().agents.await(agent.id)).toEqual(before);
  });

  it('can be awaited by a request without a body', async () => {
    const yard = await openAgentYard({ done: () => [{ text: 'ok' }] });
    const agent = await yard.client().agents.draft({ role: 'developer', prompt: 'done' });
    const url = `http://127.0.0.1/api/agents/${agent.id}/await`;
    const headers = { authorization: `Bearer ${yard.token}` };
    const answer = await yard.fetch(new Request(url, { method: 'POST', headers }));
    expect(await answer.json()).toMatchObject({ status: 'done' });
  });
});

describe('who may not draft, by the roles above it', () => {
  it('sees its own task only, whatever its own role says', async () => {
    const yard = await openAgentYard({
      look: ({ step }) => (step === 0 ? [call('list_tasks')] : [{ text: 'ok' }]),
    });
    const { client } = yard;
    await client().tasks.create({ slug: 'other' });
    const worker = await client().sessions.create({ role: 'developer' });
    const agent = await client().agents.draft({ role: 'coordinator', prompt: 'look', sessionId: worker.id });
    await client().agents.await(agent.id);
    const events = await readUntil(yard, agent.sessionId, ({ type }) => type === 'turn_end');
    expect(outputsOf(events)).toMatchObject([{ tasks: [{ slug: agent.taskSlug }] }]);
  });
});

describe('the time of a run', () => {
  it('stands still while nobody works in it and while the server is down', async () => {
    const limits = { wallMinutes: 0.02, onLimit: 'refuse' };
    const first = await openAgentYard(
      { Fail: () => [{ fail: { code: 'internal', message: 'no' } }] },
      { limits },
    );
    const { sessionId } = await first.ask('Fail');
    await first.close();
    const clock = { now: () => Date.now() + 3_600_000 };
    const second = await openAgentYard({ Fail: () => [{ text: 'ok' }] }, { limits, home: first.home, clock });
    const { turnId } = await second.client().sessions.retry(sessionId);
    const events = await readUntil(second, sessionId, isEndOf(turnId));
    expect(events.at(-1)).toMatchObject({ data: { outcome: 'completed' } });
  });
});

describe('a child', () => {
  it('is no laxer than its root is now', async () => {
    const changed = Promise.withResolvers<void>();
    const yard = await openAgentYard({
      Plan: ({ step }) => (step === 0 ? [draft('later', { role: 'assistant' })] : [{ text: 'ok' }]),
      later: ({ step }) =>
        step === 0 ? [{ until: changed.promise }, call('create_task', { slug: 'made' })] : [{ text: 'ok' }],
    });
    const { sessionId } = await yard.ask('Plan');
    await yard.client().sessions.change(sessionId, { mode: 'plan' });
    changed.resolve();
    const [agent] = await yard.agents();
    await yard.client().agents.await(agent?.id ?? '');
    expect((await yard.client().tasks.list()).items.map(({ slug }) => slug)).not.toContain('made');
  });
});

describe('a closed task', () => {
  it('is left as it is by whoever talks on in a session that was about it', async () => {
    const yard = await openAgentYard({ done: () => [{ text: 'ok' }] });
    const { client } = yard;
    const { id } = await client().sessions.create({ role: 'coordinator', taskSlug: 'shut' });
    const closed = await client().tasks.close('shut', {});
    const { turnId } = await client().sessions.send(id, 'done');
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(events.at(-1)).toMatchObject({ data: { outcome: 'completed' } });
    expect(await client().tasks.get('shut')).toMatchObject({ ...closed, dispatchCount: 0, description: '' });
  });
});
