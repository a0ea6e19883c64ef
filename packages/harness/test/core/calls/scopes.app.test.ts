// How far an allow may reach: said by the approval itself, offered alike on every surface, and true afterwards.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Approval, defineTool, defineToolkit, emptyView, reduce } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toChoices } from '../../../src/cli/decision-prompts/approval-card.ts';
import { toElicitation } from '../../../src/mcp/elicitation.ts';
import { firstPending, openLedgerYard } from '../../support/ledger.ts';
import { isEndOf, readUntil } from '../../support/yard.ts';

/** A tool that says of itself that it is asked about each time. */
function createStampKit() {
  const ran: string[] = [];
  const stamp = defineTool({
    name: 'look',
    title: 'Look',
    description: 'Looks.',
    effect: 'read',
    tier: 'always',
    input: z.strictObject({ at: z.string() }),
    output: z.object({ seen: z.string() }),
    run: async ({ at }) => {
      ran.push(at);
      return { seen: at };
    },
  });
  return { ran, kit: defineToolkit({ name: 'stamps', server: 'suite', tools: [stamp] }) };
}

type Yard = Awaited<ReturnType<typeof openLedgerYard>>['yard'];

/** Sends a message, answers what is asked with the widest yes there is, and tells what was asked. */
async function askedFor(yard: Yard, sessionId: string, words: string): Promise<Approval> {
  const client = yard.client();
  const { turnId } = await client.sessions.send(sessionId, words);
  const asked = await firstPending(yard);
  await client.approvals.answer(asked.id, { decision: 'allow', scope: 'always' });
  await readUntil(yard, sessionId, isEndOf(turnId));
  return asked;
}

/** What a person is offered at a terminal, and at an MCP client. */
function offeredFor(approval: Approval) {
  const [decision] = Object.values(toElicitation(approval).requestedSchema.properties);
  return [toChoices({ approval }).map(({ key }) => key), decision && 'enum' in decision && decision.enum];
}

describe('a tool of tier always', () => {
  it('is asked about each time, and every surface offers this one call only', async () => {
    const { kit, ran } = createStampKit();
    const { yard } = await openLedgerYard('', { toolkits: [kit] });
    const { id } = await yard.client().sessions.create();
    const asked = [await askedFor(yard, id, 'look here'), await askedFor(yard, id, 'look here')];
    expect(asked.map(({ rule, scopes }) => ({ rule, scopes }))).toEqual([
      { rule: 'tier always, by the tool', scopes: ['once'] },
      { rule: 'tier always, by the tool', scopes: ['once'] },
    ]);
    expect(asked.map(offeredFor)[0]).toEqual([
      ['a', 'd'],
      ['allow once', 'deny'],
    ]);
    const { items } = await yard.client().approvals.list();
    expect([ran, items.map(({ scope }) => scope)]).toEqual([
      ['here', 'here'],
      ['once', 'once'],
    ]);
    expect((await yard.client().grants.list()).items).toEqual([]);
  });

  it('is asked about although it was granted while the configuration made it less strict', async () => {
    const { kit, ran } = createStampKit();
    const config = 'toolApproval: { perTool: { mcp__suite__look: session } }';
    const { yard, home } = await openLedgerYard(config, { toolkits: [kit] });
    const { id } = await yard.client().sessions.create();
    const { scopes } = await askedFor(yard, id, 'look here');
    const { turnId } = await yard.client().sessions.send(id, 'look here');
    await readUntil(yard, id, isEndOf(turnId));
    expect([scopes, ran]).toEqual([
      ['once', 'session', 'always'],
      ['here', 'here'],
    ]);
    await yard.close();
    await writeFile(join(home, 'config.yaml'), '');

    const strict = await openLedgerYard('', { home, toolkits: [kit] });
    const again = await strict.yard.client().sessions.create();
    expect(await askedFor(strict.yard, again.id, 'look here')).toMatchObject({ scopes: ['once'] });
    const explained = await strict.yard.client().tools.list({ explain: 'true' });
    expect(explained.items.find(({ name }) => name === 'mcp__suite__look')).toMatchObject({
      verdict: 'ask',
      rule: 'tier always, by the tool',
    });
  });
});

describe('a call that has its session to itself', () => {
  it('is not offered for that session', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const called = client.tools.call('mcp__suite__look', { input: { at: 'here' } });
    const alone = await firstPending(yard);
    await client.approvals.answer(alone.id, { decision: 'deny' });
    await called;
    const { id } = await client.sessions.create();
    const beside = client.tools.call('mcp__suite__look', { input: { at: 'here' }, sessionId: id });
    const within = await firstPending(yard);
    await client.approvals.answer(within.id, { decision: 'deny' });
    await beside;
    expect([alone.scopes, within.scopes]).toEqual([
      ['once', 'always'],
      ['once', 'session', 'always'],
    ]);
    expect(offeredFor(alone)).toEqual([
      ['a', 'w', 'd'],
      ['allow once', 'deny'],
    ]);
  });
});

describe('a call that a grant lets run', () => {
  it('says which one in the log, in what a person sees of it, and in the evidence', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create();
    await askedFor(yard, id, 'look here');
    const { turnId } = await client.sessions.send(id, 'look there');
    const events = await readUntil(yard, id, isEndOf(turnId));
    const [grant] = (await client.grants.list()).items;
    const seen = events
      .reduce(reduce, emptyView)
      .items.flatMap((item) =>
        item.kind === 'tool' ? [{ grant: item.grant, asked: item.approval !== undefined }] : [],
      );
    expect(seen).toEqual([
      { grant: undefined, asked: true },
      { grant: { id: grant?.id, scope: 'always' }, asked: false },
    ]);
    const { items } = await client.audit.list({ order: 'desc', kind: 'decision' });
    expect(items[0]).toMatchObject({ grantId: grant?.id, rule: `grant ${grant?.id} (always)` });
  });
});
