// A token of a role that may not draft is bound to no task, so it sees none, and no agent of others.
import { expect, it } from 'vitest';
import { scriptedBy } from '../core/agents/stage.ts';
import { agentToken, connect, eras, openMcpYard } from './clients.ts';

it.each(eras)('with the %s protocol it is told of no task and no agent', async (era) => {
  const engine = scriptedBy({ stay: () => [{ untilAborted: true }] });
  const house = await openMcpYard('', { engine });
  const { yard } = house;
  await yard.client().tasks.create({ slug: 'mine' });
  await yard.client().agents.draft({ role: 'developer', prompt: 'stay', taskSlug: 'mine' });

  const client = await connect(house, { era, token: await agentToken(house, 'developer') });
  const call = async (name: string, input = {}) => {
    const { structuredContent, content } = await client.callTool({ name, arguments: input });
    return structuredContent ?? Object(content)[0].text;
  };
  expect(await call('list_tasks')).toEqual({ tasks: [] });
  expect(await call('list_agents', { all: true })).toEqual({ agents: [] });
  expect(await call('get_task_context', { taskSlug: 'mine' })).toMatch(/^task_not_found: /);
  await client.close();
});
