// P4: what a person saw is what runs. A tool that has become another one between the question and the answer, or since
// a permission was given, runs nothing by that answer or permission.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { defineTool, defineToolkit, type ToolDefinition } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { caller, firstPending, textOf } from '../../support/ledger.ts';
import { converse, isEndOf, memoryDirectory, openTestYard, readUntil } from '../../support/yard.ts';

const ran: unknown[] = [];
const plain = z.strictObject({ to: z.string() });

type Change = Partial<Pick<ToolDefinition<unknown, unknown>, 'effect' | 'description' | 'input' | 'output'>>;

function open(home: string, change: Change = {}) {
  const pay = defineTool({
    name: 'pay',
    title: 'Pay',
    description: 'Pays somebody.',
    effect: 'execute',
    tier: 'session',
    input: plain,
    output: z.object({}),
    ...change,
    run: async (input: unknown) => {
      ran.push(input);
      return {};
    },
  });
  return openTestYard({
    home,
    engine: caller(),
    toolkits: [defineToolkit({ name: 'k', server: 'suite', tools: [pay] })],
  });
}

const changes: [string, Change][] = [
  ['input', { input: z.strictObject({ to: z.string(), amount: z.number().default(1_000) }) }],
  ['effect', { effect: 'write' }],
  ['description', { description: 'Pays somebody twice.' }],
];
const changed = 'The call was not run: it no longer matches what was approved. Call it again.';

it.each(changes)(
  'an answer counts for nothing when the %s of the tool has changed since it was asked',
  async (_, change) => {
    ran.length = 0;
    const home = await memoryDirectory();
    const before = await open(home);
    const { id } = await before.client().sessions.create();
    const { turnId } = await before.client().sessions.send(id, 'pay bob');
    const approval = await firstPending(before);
    await before.close();
    const after = await open(home, change);
    await after.client().approvals.answer(approval.id, { decision: 'allow' });
    const events = await readUntil(after, id, isEndOf(turnId));
    expect([ran, textOf(events)]).toEqual([[], changed]);
    expect((await after.client().audit.list()).items.at(-1)).toMatchObject({
      decision: 'deny',
      rule: 'no longer what was approved',
    });
  },
);

it('an answer counts for nothing when the call was changed in the store since it was asked', async () => {
  ran.length = 0;
  const home = await memoryDirectory();
  const before = await open(home);
  const { id } = await before.client().sessions.create();
  const { turnId } = await before.client().sessions.send(id, 'pay bob');
  const approval = await firstPending(before);
  await before.close();
  const database = new DatabaseSync(join(home, 'toolyard.db'));
  const { changes } = database.prepare('UPDATE tool_calls SET input = ?').run('{"to":"eve"}');
  database.close();
  expect(changes).toBe(1);
  const after = await open(home);
  await after.client().approvals.answer(approval.id, { decision: 'allow' });
  const events = await readUntil(after, id, isEndOf(turnId));
  expect([ran, textOf(events)]).toEqual([[], changed]);
});

/** A home in which `pay bob` was allowed always and has run. */
async function grantIn(home: string): Promise<void> {
  const yard = await open(home);
  const { id } = await yard.client().sessions.create();
  const { turnId } = await yard.client().sessions.send(id, 'pay bob');
  const { id: approvalId } = await firstPending(yard);
  await yard.client().approvals.answer(approvalId, { decision: 'allow', scope: 'always' });
  await readUntil(yard, id, isEndOf(turnId));
  await yard.close();
}

it.each(changes)(
  'a grant is stale and covers nothing when the %s of its tool has changed',
  async (_, change) => {
    const home = await memoryDirectory();
    await grantIn(home);
    ran.length = 0;
    const yard = await open(home, change);
    const { sessions, grants } = yard.client();
    const { id } = await sessions.create();
    await sessions.send(id, 'pay bob');
    expect(await firstPending(yard)).toMatchObject({ tool: 'mcp__suite__pay', input: { to: 'bob' } });
    expect((await grants.list()).items.map(({ stale, uses }) => ({ stale, uses }))).toEqual([
      { stale: true, uses: 0 },
    ]);
    expect(ran).toEqual([]);
  },
);

it('a grant still covers a tool of which only the output has changed', async () => {
  const home = await memoryDirectory();
  await grantIn(home);
  ran.length = 0;
  const yard = await open(home, { output: z.object({ paid: z.string().optional() }) });
  const { id } = await yard.client().sessions.create();
  await converse(yard, id, 'pay bob');
  expect((await yard.client().grants.list()).items.map(({ stale, uses }) => ({ stale, uses }))).toEqual([
    { stale: false, uses: 1 },
  ]);
  expect(ran).toEqual([{ to: 'bob' }]);
});
