// What the printed policy says is what a call then meets.
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { expect, it } from 'vitest';
import type { Yard } from '../../../src/app.ts';
import { caller, firstPending, openLedgerYard } from '../../support/ledger.ts';
import { converse, isEndOf, readUntil } from '../../support/yard.ts';

async function explain(yard: Yard, name: string, query: { role?: string; mode?: 'plan' } = {}) {
  const { items } = await yard.client().tools.list({ explain: 'true', ...query });
  const found = items.find((tool) => tool.name === name);
  return found && { offered: found.offered, verdict: found.verdict, rule: found.rule };
}

async function allowAlways(yard: Yard, message: string): Promise<string> {
  const { sessions, approvals, grants } = yard.client();
  const { id } = await sessions.create();
  const { turnId } = await sessions.send(id, message);
  await approvals.answer((await firstPending(yard)).id, { decision: 'allow', scope: 'always' });
  await readUntil(yard, id, isEndOf(turnId));
  const [grant] = (await grants.list()).items;
  return grant?.id ?? '';
}

it('a tool that was allowed always is explained by its grant, and runs', async () => {
  const { yard, ran } = await openLedgerYard();
  const look = 'mcp__suite__look';
  const asks = { offered: true, verdict: 'ask', rule: 'tier session, by the tool' };
  expect(await explain(yard, look)).toEqual(asks);
  const id = await allowAlways(yard, 'look a');
  const granted = { offered: true, verdict: 'allow', rule: `grant ${id} (always)` };
  expect(await explain(yard, look)).toEqual(granted);
  // Another role has not got it.
  expect(await explain(yard, look, { role: 'coordinator' })).toEqual(asks);
  const { id: sessionId } = await yard.client().sessions.create();
  await converse(yard, sessionId, 'look b');
  expect(ran).toEqual(['a', 'b']);
  await yard.client().grants.revoke(id);
  expect(await explain(yard, look)).toEqual(asks);
});

it('a tool that was allowed always with one input still asks, and the grant is named', async () => {
  const { yard } = await openLedgerYard();
  const id = await allowAlways(yard, 'pay bob');
  expect(await explain(yard, 'mcp__suite__pay')).toEqual({
    offered: true,
    verdict: 'ask',
    rule: `tier session, by toolApproval.defaultTier; granted for certain inputs: ${id}`,
  });
  expect(await explain(yard, 'mcp__suite__pay', { mode: 'plan' })).toEqual({
    offered: true,
    verdict: 'deny',
    rule: 'mode plan refuses: write elsewhere, execute, external',
  });
});

it('the own tools of an engine are explained with its name, and listed for nobody who could not call them', async () => {
  const engine = createScriptedEngine({ nativeTools: [{ name: 'claude:Edit', effect: 'write' }] });
  const { yard } = await openLedgerYard('', { engine });
  const { tools } = yard.client();
  const own = (items: Awaited<ReturnType<typeof tools.list>>['items']) =>
    items.flatMap(({ name, engine: of, offered, verdict }) => (of ? [{ name, of, offered, verdict }] : []));
  expect(own((await tools.list({ role: 'developer', explain: 'true' })).items)).toEqual([
    { name: 'claude:Edit', of: engine.id, offered: true, verdict: 'ask' },
  ]);
  expect(own((await tools.list({ role: 'reviewer', explain: 'true' })).items)).toMatchObject([
    { offered: false },
  ]);
  expect(own((await tools.list({ role: 'developer' })).items)).toEqual([]);
  expect(
    own(
      (
        await openLedgerYard('', { engine: caller() }).then(({ yard: other }) =>
          other.client().tools.list({ explain: 'true' }),
        )
      ).items,
    ),
  ).toEqual([]);
});
