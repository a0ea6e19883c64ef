// Agents across a restart of their server: who waits for a person waits on, and who worked for one that was cut off ends.
import type { Agent, Event } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { isEndOf, readUntil } from '../../support/yard.ts';
import { type AgentYard, call, draft, openAgentYard, type Script } from './stage.ts';

const plan: Script = ({ step, text }) =>
  step === 0 ? [draft(text.slice(5), { role: 'coordinator' })] : [{ text: 'ok' }];

const scripts: Record<string, Script> = {
  Plan: plan,
  /** Drafts one that asks, and works on for ever. */
  lead: ({ step }) =>
    step === 0 ? [draft('ask', { role: 'coordinator' })] : [{ text: 'Leading.' }, { untilAborted: true }],
  ask: ({ step }) => (step === 0 ? [call('ping')] : [{ text: 'Pinged.' }]),
};

const perTool = { mcp__toolyard__draft_agent: 'auto' as const };
const open = (home?: string) =>
  openAgentYard(scripts, { overlay: { toolApproval: { perTool } }, ...(home && { home }) });

async function begin(yard: AgentYard, content: string) {
  const { id } = await yard.client().sessions.create({ role: 'coordinator' });
  return { id, ...(await yard.client().sessions.send(id, content)) };
}

const isUpdate = (is: (agent: Agent) => boolean) => (event: Event) =>
  event.type === 'agent_update' && is(event.data.agent);

it('an agent that waits for its person is waiting after a restart, and running once it is answered', async () => {
  const first = await open();
  const { id } = await begin(first, 'Plan ask');
  await readUntil(
    first,
    id,
    isUpdate(({ status }) => status === 'waiting'),
  );
  await first.close();

  const second = await open(first.home);
  let told = 0;
  await readUntil(
    second,
    id,
    isUpdate(() => ++told === 4),
  );
  expect(await second.agents()).toMatchObject([{ status: 'waiting' }]);
  const [asked] = (await second.client().approvals.list({ state: 'pending' })).items;
  await second.client().approvals.answer(asked?.id ?? '', { decision: 'allow' });
  const events = await readUntil(
    second,
    id,
    isUpdate(({ status }) => status === 'done'),
  );
  const heard = events.flatMap((event) => (event.type === 'agent_update' ? [event.data.agent.status] : []));
  expect(heard).toEqual(['queued', 'running', 'waiting', 'waiting', 'running', 'done']);
});

it('who worked for an agent that was cut off is ended with it, with its question, and says why', async () => {
  const first = await open();
  const { id, turnId } = await begin(first, 'Plan lead');
  await readUntil(
    first,
    id,
    isUpdate(({ depth, status }) => depth === 2 && status === 'waiting'),
  );
  await first.close();

  const second = await open(first.home);
  await readUntil(second, id, isEndOf(turnId));
  const [deep, lead] = await second.agents();
  expect([lead, deep]).toMatchObject([
    { status: 'failed', error: { code: 'restarted' } },
    {
      status: 'killed',
      error: {
        code: 'killed',
        message: `The agent was stopped because an agent above it ended: coordinator ${lead?.id}, failed.`,
      },
    },
  ]);
  expect((await second.client().approvals.list({ state: 'pending' })).items).toEqual([]);
  expect(await second.client().sessions.get(deep?.sessionId ?? '')).toMatchObject({ status: 'idle' });
});
