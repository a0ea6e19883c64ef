import { type Approval, defineTool, defineToolkit, pause } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Yard } from '../../../src/app.ts';
import { converse, isEndOf, openTestYard, readUntil } from '../../support/yard.ts';

/** A tool whose preview shows a file that may change meanwhile. */
async function openWithPreview(preview: () => Promise<string> | string, grantKey?: () => string) {
  const ran: number[] = [];
  const edit = defineTool({
    name: 'edit',
    title: 'Edit',
    description: 'Edits.',
    effect: 'write',
    input: z.strictObject({}),
    output: z.object({}),
    preview,
    ...(grantKey && { grantKey }),
    run: async () => {
      ran.push(1);
      return {};
    },
  });
  const engine = createScriptedEngine({
    reply: ({ outcomes }) =>
      outcomes.length > 0
        ? [{ text: outcomes[0]?.text ?? '' }]
        : [{ calls: [{ tool: 'mcp__suite__edit', input: {} }] }],
  });
  const toolkits = [defineToolkit({ name: 'edits', server: 'suite', tools: [edit] })];
  const yard = await openTestYard({ engine, toolkits });
  const { id } = await yard.client().sessions.create();
  return { yard, id, ran };
}

async function firstPending(yard: Yard): Promise<Approval> {
  for (;;) {
    const [approval] = (await yard.client().approvals.list({ state: 'pending' })).items;
    if (approval) return approval;
    await pause(10);
  }
}

describe('a preview', () => {
  it('P4: is shown to the approver, and the call is not run when it would look different now', async () => {
    let file = 'old';
    const { yard, id, ran } = await openWithPreview(() => `- ${file}\n+ new`);
    const { turnId } = await yard.client().sessions.send(id, 'edit');
    const approval = await firstPending(yard);
    expect(approval.preview).toBe('- old\n+ new');
    file = 'changed by somebody';
    await yard.client().approvals.answer(approval.id, { decision: 'allow' });
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(JSON.stringify(events)).toContain('it no longer matches what was approved');
    expect(ran).toEqual([]);
  });

  it('that fails refuses the call with a sentence', async () => {
    const { yard, id, ran } = await openWithPreview(() => Promise.reject(new Error('secret detail')));
    const events = await converse(yard, id, 'edit');
    expect(JSON.stringify(events)).toContain('its preview failed');
    expect(JSON.stringify(events)).not.toContain('secret detail');
    expect(ran).toEqual([]);
  });

  it('is bounded, and a key that fails means the whole input', async () => {
    const { yard, id } = await openWithPreview(
      () => 'x'.repeat(1_000_000),
      () => {
        throw new Error('no key');
      },
    );
    await yard.client().sessions.send(id, 'edit');
    const approval = await yard.client().approvals.get((await firstPending(yard)).id);
    expect(approval.preview).toHaveLength(20_000);
    expect(approval.grantKey).toContain('{}');
  });
});
