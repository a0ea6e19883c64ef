// P13: what ends with what. An interrupt ends all under a session, whenever it was drafted; an agent that fails takes those
// under it along; whoever has done its work leaves those that still work.
import { describe, expect, it } from 'vitest';
import { converse, readUntil } from '../../support/yard.ts';
import { draft, openAgentYard, type Script } from './stage.ts';

const work: Script = () => [{ text: 'Working.' }, { untilAborted: true }];

/** Drafts one that works for ever, and ends as its name says. */
const endingBy =
  (end: ReturnType<Script>): Script =>
  ({ step }) =>
    step === 0 ? [draft('work')] : end;

const fail = [{ fail: { code: 'provider_failed', message: 'No.' } }] satisfies ReturnType<Script>;

async function open() {
  const yard = await openAgentYard({
    work,
    stay: work,
    done: endingBy([{ text: 'ok' }]),
    fail: endingBy(fail),
    lead: endingBy([{ untilAborted: true }]),
    Plan: ({ step, text }) =>
      step === 0 ? [draft(text.slice(5), { role: 'coordinator' })] : [{ text: 'ok' }],
  });
  const byPrompt = async () => Object.fromEntries((await yard.agents()).map((each) => [each.prompt, each]));
  return { yard, client: yard.client(), byPrompt };
}

describe('an interrupt', () => {
  it('ends the agents of a turn that is over, when nothing else is under way', async () => {
    const { yard, client } = await open();
    const { sessionId } = await yard.ask('done');
    expect(await yard.agents()).toMatchObject([{ status: expect.stringMatching(/queued|running/) }]);
    expect(await client.sessions.interrupt(sessionId)).toEqual({ turnId: null });
    expect(await yard.agents()).toMatchObject([{ status: 'killed', error: { code: 'killed' } }]);
  });

  it('of a later turn ends the agents of earlier ones', async () => {
    const { yard, client } = await open();
    const { sessionId } = await yard.ask('done');
    const { turnId } = await client.sessions.send(sessionId, 'stay');
    await readUntil(yard, sessionId, ({ type, data }) => type === 'text_delta' && data.text === 'Working.');
    expect(await client.sessions.interrupt(sessionId)).toEqual({ turnId });
    expect(await yard.agents()).toMatchObject([{ status: 'killed' }]);
  });

  it('of one session leaves the agents of another', async () => {
    const { yard, client } = await open();
    await yard.ask('done');
    const other = await client.sessions.create({ role: 'coordinator' });
    await client.sessions.interrupt(other.id);
    expect(await yard.agents()).toMatchObject([{ status: expect.stringMatching(/queued|running/) }]);
  });
});

describe('those under', () => {
  it('an agent that fails end with it, and say why', async () => {
    const { yard, client, byPrompt } = await open();
    await yard.ask('Plan fail');
    const drafted = (await byPrompt()).fail;
    await client.agents.await(drafted?.id ?? '');
    const message = `The agent was stopped because an agent above it ended: coordinator ${drafted?.id}, failed.`;
    expect(await byPrompt()).toMatchObject({
      fail: { status: 'failed', error: { code: 'provider_failed' } },
      work: { status: 'killed', error: { code: 'killed', message } },
    });
  });

  it('an agent that is killed end with it, and say why', async () => {
    const { yard, client, byPrompt } = await open();
    const lead = await client.agents.draft({ role: 'coordinator', prompt: 'lead' });
    await readUntil(
      yard,
      lead.sessionId,
      ({ type, data }) => type === 'agent_update' && data.agent.status === 'running',
    );
    await client.agents.kill(lead.id);
    const message = `The agent was stopped because an agent above it ended: coordinator ${lead.id}, killed.`;
    expect(await byPrompt()).toMatchObject({
      lead: {
        status: 'killed',
        error: { code: 'killed', message: 'The agent was stopped before it finished.' },
      },
      work: { status: 'killed', error: { code: 'killed', message } },
    });
  });

  it('an agent that has done its work go on, and can be killed by its name', async () => {
    const { yard, client, byPrompt } = await open();
    await yard.ask('Plan done');
    const { done } = await byPrompt();
    await client.agents.await(done?.id ?? '');
    const { work: left } = await byPrompt();
    expect(await byPrompt()).toMatchObject({
      done: { status: 'done' },
      work: { status: expect.stringMatching(/queued|running/) },
    });
    expect(await client.agents.kill(done?.id ?? '')).toEqual({
      success: true,
      message: 'The agent had already ended: done. Killed 1 under it.',
      killed: [left?.id],
    });
  });

  it('a session that a person has opened go on when its turn fails', async () => {
    const { yard, client } = await open();
    const { id } = await client.sessions.create({ role: 'coordinator' });
    expect((await converse(yard, id, 'fail')).at(-1)).toMatchObject({ data: { outcome: 'failed' } });
    expect(await yard.agents()).toMatchObject([{ status: expect.stringMatching(/queued|running/) }]);
  });
});
