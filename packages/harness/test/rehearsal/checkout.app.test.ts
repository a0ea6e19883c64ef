// The demonstration that needs no key: a coordinator with two developers and a reviewer, through the real engine and tools.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openYard } from '../../src/app.ts';
import { converse, quiet, temporaryDirectory } from '../support/yard.ts';

const tool = (name: string) => `mcp__toolyard__${name}`;

/** As it is for somebody who has no key. */
async function openRehearsed() {
  const workspace = await temporaryDirectory();
  const yard = await openYard({ home: join(workspace, 'home'), env: {}, workspace, logger: quiet });
  onTestFinished(() => yard.close());
  return yard;
}

test('"plan the checkout" drafts two developers at once, then a reviewer, and reports', async () => {
  const yard = await openRehearsed();
  const client = yard.client();
  const wanted = { role: 'coordinator', mode: 'acceptEdits', taskSlug: 'checkout' } as const;
  const { id } = await client.sessions.create(wanted);
  const events = await converse(yard, id, 'Plan and do the checkout');
  const calls = events.flatMap((event) => (event.type === 'tool_call_start' ? [event.data.tool] : []));
  expect(calls).toEqual([
    ...[tool('draft_agent'), tool('draft_agent'), tool('await_agent'), tool('await_agent')],
    ...[tool('draft_agent'), tool('await_agent')],
  ]);
  const { items } = await client.agents.list({ all: true, taskSlug: 'checkout' });
  const awaited = events.flatMap((event) =>
    event.type === 'tool_call_end' ? (Object(event.data.input).agentId ?? []) : [],
  );
  expect(awaited).toEqual(items.map((agent) => agent.id).reverse());
  const agents = items.map(({ role, status, depth, result }) => ({ role, status, depth, ...result }));
  expect(agents.reverse()).toMatchObject([
    { role: 'developer', status: 'done', depth: 1, reported: true, issues: [expect.any(String)] },
    {
      role: 'developer',
      status: 'done',
      depth: 1,
      reported: true,
      questions: ['Which currencies are needed?'],
    },
    {
      role: 'reviewer',
      status: 'done',
      depth: 1,
      reported: true,
      summary: expect.stringMatching(/verdict: ready/),
    },
  ]);
  const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.data.text] : [])).join('');
  expect(text).toMatch(/> My verdict: ready[\s\S]*One question is open: Which currencies are needed\?/);
  expect(text).not.toContain('(no ');
  expect(events.at(-1)).toMatchObject({ type: 'turn_end', data: { outcome: 'completed' } });
});

test('a role that cannot draft says so instead of pretending', async () => {
  const yard = await openRehearsed();
  const { id } = await yard.client().sessions.create({ role: 'developer' });
  const events = await converse(yard, id, 'plan the checkout');
  const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.data.text] : [])).join('');
  expect(text).toMatch(/does not offer `mcp__toolyard__draft_agent`/);
  expect((await yard.client().agents.list({ all: true })).items).toEqual([]);
});
