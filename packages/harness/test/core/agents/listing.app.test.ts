// What list_agents, list_tasks and get_task_context tell whom: the run at hand, and to who may not draft its own task only.
import { describe, expect, it } from 'vitest';
import { converse } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputsOf, type Script, tool } from './stage.ts';

const stay: Script = () => [{ untilAborted: true }];

/** Drafts one that works for ever. */
const draftOne: Script = ({ step, text }) =>
  step === 0 ? [draft(text.slice(5), { taskSlug: 'mine' })] : [{ text: 'ok' }];

const look: Script = ({ step }) =>
  step === 0 ? [call('list_agents'), call('list_agents', { all: true })] : [{ text: 'ok' }];

async function open() {
  const yard = await openAgentYard({ stay, Plan: draftOne, look, end: () => [{ text: 'ok' }] });
  for (const slug of ['mine', 'other']) await yard.client().tasks.create({ slug });
  return { yard, client: yard.client() };
}

describe('list_agents', () => {
  it('tells of the live ones of this run, and with `all` of those before it and those that have ended', async () => {
    const { yard, client } = await open();
    const { sessionId } = await yard.ask('Plan end');
    const [ended = { id: '' }] = await yard.agents();
    await client.agents.await(ended.id);
    await converse(yard, sessionId, 'Plan stay');
    const [earlier] = await yard.agents();
    const looked = outputsOf(await converse(yard, sessionId, 'look')).slice(-2);
    expect(looked).toMatchObject([{ agents: [] }, { agents: [{ id: earlier?.id }, { id: ended.id }] }]);
    // Who only looks in from outside has no run.
    const outside = await client.tools.call(tool('list_agents'), { input: {}, sessionId });
    expect(outside.output).toMatchObject({ agents: [{ id: earlier?.id }] });
  });
});

describe('who was not drafted and may not draft', () => {
  const ask = async (sessionId: string, { client }: Awaited<ReturnType<typeof open>>) => {
    const say = async (name: string, input: Record<string, unknown>) => {
      const { output, text } = await client.tools.call(tool(name), { input, sessionId });
      return output ?? text;
    };
    return [
      await say('list_tasks', {}),
      await say('list_agents', { all: true }),
      await say('get_task_context', { taskSlug: 'mine' }),
    ];
  };

  it('sees no task and no agent when its session works on none', async () => {
    const opened = await open();
    await opened.yard.ask('Plan stay');
    const { id } = await opened.client.sessions.create({ role: 'developer' });
    expect(await ask(id, opened)).toEqual([
      { tasks: [] },
      { agents: [] },
      expect.stringMatching(
        /^task_not_found: You have no access to a task mine\. Your session has no task\./,
      ),
    ]);
  });

  it('sees the task that its session works on', async () => {
    const opened = await open();
    await opened.yard.ask('Plan stay');
    const { id } = await opened.client.sessions.create({ role: 'developer', taskSlug: 'mine' });
    expect(await ask(id, opened)).toMatchObject([
      { tasks: [{ slug: 'mine' }] },
      { agents: [] },
      { context: expect.stringContaining('mine') },
    ]);
  });

  it('is no person who makes a call of their own as that role', async () => {
    const { client } = await open();
    const { output } = await client.tools.call(tool('list_tasks'), { input: {}, role: 'developer' });
    expect(output).toMatchObject({ tasks: [{ slug: 'other' }, { slug: 'mine' }] });
  });

  it('and whoever may draft sees all tasks', async () => {
    const { client } = await open();
    const { id: sessionId } = await client.sessions.create({ role: 'coordinator' });
    const { output } = await client.tools.call(tool('list_tasks'), { input: {}, sessionId });
    expect(output).toMatchObject({ tasks: [{ slug: 'other' }, { slug: 'mine' }] });
  });
});
