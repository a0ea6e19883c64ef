// The checklist of the first plan for agents, through the real tool path: the native engine and the real CLI.
import type { Event } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { type EngineYard, engines, openEngineYard, setEngineStage } from './engine-yard.ts';

setEngineStage();

const scenario = './flow.yaml';
const delegating = ['draft_agent', 'await_agent', 'await_any_agent', 'kill_agent'];
const reading = ['list_agents', 'list_tasks', 'get_task_context'];

/** Our own tools among those that the model says it was offered. */
function toolsIn(text: string): string[] {
  const [, listed = ''] = /My tools: ([^.]*)\./.exec(text) ?? [];
  const all = [...delegating, ...reading, 'report_result', 'create_task', 'close_task'];
  return all.filter((name) => listed.split(', ').includes(`mcp__toolyard__${name}`));
}

async function textOf(client: EngineYard['client'], id: string) {
  const { lastSeq } = await client.sessions.get(id);
  let text = '';
  for await (const event of client.sessions.events(id)) {
    if (event.type === 'text_delta') text += event.data.text;
    if (event.seq >= lastSeq) return text;
  }
  return text;
}

function isAwaited(output: unknown, agentId: string): boolean {
  const { agentId: id, status } = Object(output);
  return id === agentId && status === 'done';
}

/** From the call of a tool to its result, by the log. */
function tookMs(events: readonly Event[], tool: string): number {
  const started = events.find((event) => event.type === 'tool_call_start' && event.data.tool === tool);
  const callId = started?.type === 'tool_call_start' ? started.data.toolCallId : '';
  const ended = events.find((event) => event.type === 'tool_result' && event.data.toolCallId === callId);
  return Date.parse(ended?.at ?? '') - Date.parse(started?.at ?? '');
}

describe.each(engines)('with the engine %s', (engine) => {
  it('a coordinator drafts, lists, awaits and reads the task’s context; a developer has only what reads and reports', async () => {
    const { ask, client, agents } = await openEngineYard({ scenario });
    await client.tasks.create({ slug: 'checkout', description: 'Make the checkout work' });
    const { outcome, text, outputs } = await ask('flow', { engine, taskSlug: 'checkout' });
    const [agent] = await agents();
    const agentId = agent?.id ?? '';
    const result = { summary: 'Built the-form for checkout.', changes: ['the-form.ts'], issues: [] };
    expect([outcome, ...outputs]).toEqual([
      'completed',
      { agentId, role: 'developer', taskSlug: 'checkout', budgetUsd: expect.any(Number) },
      { agents: [expect.objectContaining({ id: agentId, role: 'developer', taskSlug: 'checkout' })] },
      {
        agentId,
        status: 'done',
        costUsd: expect.any(Number),
        durationMs: expect.any(Number),
        result: { ...result, questions: ['Which the-form?'], reported: true },
      },
      { context: expect.stringMatching(/Make the checkout work[\s\S]*Built the-form for checkout\./) },
    ]);
    expect(agent).toMatchObject({ engine, status: 'done', depth: 1, taskSlug: 'checkout' });
    const child = await textOf(client, agent?.sessionId ?? '');
    expect([toolsIn(text), toolsIn(child)]).toEqual([
      [...delegating, ...reading, 'create_task', 'close_task'],
      [...reading, 'report_result'],
    ]);
  });

  it('two roles are drafted at once and both awaited; what a role does not have, it cannot call', async () => {
    const { ask, client, agents } = await openEngineYard({ scenario });
    const { outcome, outputs } = await ask('parallel', { engine });
    const both = await agents();
    expect(both.map(({ role, status }) => `${role} ${status}`)).toEqual(['developer done', 'reviewer done']);
    const [developer, reviewer] = both.map(({ id }) => outputs.find((each) => isAwaited(each, id)));
    expect([outcome, developer, reviewer]).toEqual([
      'completed',
      expect.objectContaining({ result: expect.objectContaining({ reported: true }) }),
      expect.objectContaining({
        result: expect.objectContaining({
          reported: false,
          summary: expect.stringMatching(/I heard: .*no (such )?tool.*draft_agent/i),
        }),
      }),
    ]);
    expect(toolsIn(await textOf(client, both[1]?.sessionId ?? ''))).toEqual([...reading, 'report_result']);
  });

  it('P13: an agent that runs is killed cleanly, and awaiting it says so', async () => {
    const { ask, agents } = await openEngineYard({ scenario });
    const { outcome, outputs, events } = await ask('kill', { engine });
    const [agent] = await agents();
    expect([outcome, ...outputs.slice(1)]).toEqual([
      'completed',
      { agentId: agent?.id, status: 'running' },
      { success: true, message: `Killed ${agent?.id}.`, killed: [agent?.id] },
      expect.objectContaining({ agentId: agent?.id, status: 'killed' }),
    ]);
    expect(tookMs(events, 'mcp__toolyard__kill_agent')).toBeLessThan(5_000);
  });
});
