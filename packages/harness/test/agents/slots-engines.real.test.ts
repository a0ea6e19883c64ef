// One slot for all: a whole tree of agents that wait for each other comes to its end, and no run keeps another one out.
import type { AnswerApproval, Approval } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { engines, openEngineYard, setEngineStage, until } from './engine-yard.ts';

setEngineStage();

const toolyard = (name: string, input: object = {}) => ({ call: { tool: `mcp__toolyard__${name}`, input } });
const draft = (role: string, prompt: string) => toolyard('draft_agent', { role, prompt, taskSlug: 'tree' });
const wait = (at = 0) => toolyard('await_agent', { agentId: `{{results.${at}.agentId}}` });
const done = { reply: [{ text: 'Level {{user}} heard: {{results}}' }] };

/** Each level drafts the next and waits for it; the second one waits for two at once. */
const tree = [
  { when: { userIs: 'one', step: 0 }, reply: [draft('coordinator', 'two')] },
  { when: { userIs: 'two', step: 0 }, reply: [draft('coordinator', 'three'), draft('developer', 'four')] },
  { when: { userIs: 'two', step: 1 }, reply: [wait(0), wait(1)] },
  { when: { userIs: 'three', step: 0 }, reply: [draft('developer', 'four')] },
  { when: { userIs: ['one', 'three'], step: 1 }, reply: [wait()] },
  done,
];

it.each(engines)(
  'a tree of depth three comes to its end with one slot, with %s',
  async (engine) => {
    const config = { limits: { concurrency: 1, maxDepth: 3 } };
    const yard = await openEngineYard({ scenario: tree, config });
    await yard.client.tasks.create({ slug: 'tree', description: 'To grow' });
    const { outcome, text } = await yard.ask('one', { engine, taskSlug: 'tree' });
    const agents = await yard.agents();
    expect([outcome, text]).toEqual([
      'completed',
      expect.stringMatching(/Level one heard: .*Level two heard/),
    ]);
    expect(agents.map(({ prompt, depth, status }) => `${depth} ${prompt} ${status}`).sort()).toEqual([
      ...['1 two done', '2 four done', '2 three done', '3 four done'],
    ]);
  },
  60_000,
);

/** As many agents as the message says, each of which takes a moment. */
const crowd = [
  {
    when: { user: 'many', step: 0 },
    reply: Array.from({ length: 5 }, (_, at) => draft('developer', `work ${at}`)),
  },
  { when: { user: 'few', step: 0 }, reply: [draft('developer', 'work 5'), draft('developer', 'work 6')] },
  { when: { user: 'work 0' }, pace: { initialDelayMs: 1_500 }, reply: [{ text: 'slow' }] },
  { when: { user: 'work' }, pace: { initialDelayMs: 20 }, reply: [{ text: 'quick' }] },
  done,
];

it('a run that came later does not wait for all of the one before', async () => {
  const yard = await openEngineYard({ scenario: crowd, config: { limits: { concurrency: 1 } } });
  const { client } = yard;
  await client.tasks.create({ slug: 'tree', description: 'To share' });
  const many = await yard.ask('many', { engine: 'native' });
  const few = await yard.ask('few', { engine: 'native' });
  expect([many.outcome, few.outcome]).toEqual(['completed', 'completed']);
  const waiting = (await yard.agents()).map(({ status }) => status);
  expect(waiting).toEqual(['running', ...Array.from({ length: 6 }, () => 'queued')]);
  await until('agents still work', async () => (await client.agents.list()).items.length === 0 || undefined);
  const order = (await yard.agents()).sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
  const early = order.slice(0, 5).filter(({ rootSessionId }) => rootSessionId === few.sessionId);
  expect(early).toHaveLength(2);
});

it('an agent that waits for its person leaves its slot to others', async () => {
  const rules = [
    { when: { userIs: 'lead', step: 0 }, reply: [draft('asker', 'ask')] },
    { when: { userIs: 'lead', step: 1 }, reply: [draft('developer', 'work')] },
    { when: { userIs: 'lead', step: 2 }, reply: [wait()] },
    { when: { userIs: 'lead', step: 3 }, reply: [{ text: 'The second is done.' }] },
    { when: { userIs: 'ask', step: 0 }, reply: [toolyard('ping')] },
    done,
  ];
  const asker =
    '---\nname: asker\ndescription: Asks\ncategory: coding\ntools: { allow: [mcp__toolyard__ping] }\n---\nAsk.\n';
  const yard = await openEngineYard({
    scenario: rules,
    roles: { asker },
    config: { limits: { concurrency: 1 } },
  });
  const { client } = yard;
  await client.tasks.create({ slug: 'tree', description: 'To ask' });
  const approve = ({ tool }: Approval): AnswerApproval | undefined =>
    tool.endsWith('draft_agent') ? { decision: 'allow' } : undefined;
  const wanted = { engine: 'native', mode: 'default', person: { approve } } as const;
  const { outcome, text, sessionId } = await yard.ask('lead', wanted);
  expect([outcome, text]).toEqual(['completed', 'The second is done.']);
  expect((await yard.agents()).map(({ status }) => status)).toEqual(['waiting', 'done']);
  const [asked] = (await client.approvals.list({ state: 'pending' })).items;
  expect(asked).toMatchObject({ tool: 'mcp__toolyard__ping', rootSessionId: sessionId });
  await client.approvals.answer(asked?.id ?? '', { decision: 'deny' });
  await until('it does not go on', async () => (await client.agents.list()).items.length === 0 || undefined);
});
