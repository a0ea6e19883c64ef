// Draft, list, await, context: the flow of work through the real tool path.
import { describe, expect, it } from 'vitest';
import { call, draft, openAgentYard, outputOf, outputsOf, type Script } from './stage.ts';

/** Drafts two, waits for both, and looks at what the task says then. */
const coordinate: Script = (turn) => {
  if (turn.step === 0)
    return [
      draft('build the form', { taskSlug: 'checkout' }),
      draft('build the page', { taskSlug: 'checkout' }),
    ];
  if (turn.step === 1) return [call('list_agents')];
  const ids = turn.outcomes.slice(0, 2).map(({ output }) => (output as { agentId: string }).agentId);
  if (turn.step === 2) return ids.map((agentId) => call('await_agent', { agentId }));
  if (turn.step === 3) return [call('get_task_context', { taskSlug: 'checkout' })];
  return [{ text: 'All done.' }];
};

const build: Script = ({ step, text }) =>
  step === 0
    ? [
        { pauseMs: 20 },
        call('report_result', {
          summary: `${text}: done`,
          changes: ['a.ts'],
          issues: [],
          questions: ['Why?'],
        }),
      ]
    : [{ text: 'Reported.' }];

describe('draft, list, await, context', () => {
  it('two agents work side by side, and their results come back to whoever drafted them', async () => {
    const yard = await openAgentYard({ Plan: coordinate, build });
    await yard.client().tasks.create({ slug: 'checkout', description: 'Make the checkout work' });
    const { sessionId, events } = await yard.ask('Plan and do it', { taskSlug: 'checkout' });
    const [first, second, listed, one, two, context] = outputsOf(events);
    expect(first).toMatchObject({
      agentId: expect.stringMatching(/^agt_/),
      role: 'developer',
      taskSlug: 'checkout',
    });
    expect(listed).toMatchObject({
      agents: [
        { id: (second as { agentId: string }).agentId },
        { status: expect.stringMatching(/queued|running/) },
      ],
    });
    expect([one, two]).toMatchObject([
      {
        status: 'done',
        result: { summary: 'build the form: done', changes: ['a.ts'], questions: ['Why?'], reported: true },
        costUsd: 0,
      },
      { status: 'done', result: { summary: 'build the page: done' } },
    ]);
    expect(context).toMatchObject({ context: expect.stringContaining('build the form: done') });
    const agents = await yard.agents();
    expect(agents).toMatchObject([
      { status: 'done', depth: 1, rootSessionId: sessionId, taskSlug: 'checkout' },
      { status: 'done', depth: 1, rootSessionId: sessionId },
    ]);
    const updates = events.flatMap((event) =>
      event.type === 'agent_update' ? [event.data.agent.status] : [],
    );
    expect(updates.sort()).toEqual(['done', 'done', 'queued', 'queued', 'running', 'running']);
  });

  it('an agent that reports nothing has the last thing it said as its summary, marked so', async () => {
    const yard = await openAgentYard({
      Plan: (turn) => {
        if (turn.step === 0) return [draft('quietly')];
        if (turn.step === 1) return [call('await_agent', { agentId: outputOf(turn).agentId })];
        return [{ text: 'ok' }];
      },
      quietly: ({ step }) =>
        step === 0 ? [{ text: 'First words.' }, call('list_tasks')] : [{ text: 'Last words.' }],
    });
    const { events } = await yard.ask('Plan');
    expect(outputsOf(events).at(-1)).toMatchObject({
      status: 'done',
      result: { summary: 'Last words.', reported: false },
    });
  });
});
