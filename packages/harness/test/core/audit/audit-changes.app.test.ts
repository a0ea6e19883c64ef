// What people change about who may do what is evidence too.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Engine } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import type { Yard } from '../../../src/app.ts';
import { firstPending, openLedgerYard } from '../../support/ledger.ts';
import { isEndOf, memoryDirectory, openTestYard, readUntil } from '../../support/yard.ts';

const owner = { kind: 'person', id: 'owner', via: expect.any(String) };

async function changesOf(yard: Yard) {
  const { items } = await yard.client().audit.list();
  expect(await yard.client().audit.verify()).toEqual({ ok: true, rows: items.length });
  return items
    .filter(({ kind }) => kind === 'change')
    .map(({ kind: _, at, seq, hash, previousHash, costUsd, ...rest }) => rest);
}

it('a mode is changed by somebody, once, and a title is nobody’s business', async () => {
  const yard = await openTestYard();
  const { sessions } = yard.client();
  const { id } = await sessions.create();
  await sessions.change(id, { mode: 'acceptEdits' });
  await sessions.change(id, { mode: 'acceptEdits', title: 'x' });
  expect(await changesOf(yard)).toEqual([
    { change: 'mode_changed', sessionId: id, subject: 'acceptEdits', actor: owner },
  ]);
});

it('an answer that leaves plan mode says who gave it', async () => {
  const engine: Engine = {
    id: 'planner',
    nativeTools: [],
    start: async () => ({
      async prompt(_, host) {
        await host.ask({
          text: 'Go?',
          options: [{ label: 'Go', leavesPlanFor: 'acceptEdits' }, { label: 'No' }],
        });
        return { outcome: 'completed' };
      },
      close: async () => {},
    }),
  };
  const yard = await openTestYard({ engine });
  const { sessions, questions } = yard.client();
  const { id } = await sessions.create({ mode: 'plan' });
  const { turnId } = await sessions.send(id, 'plan');
  const [asked] = [...(await readUntil(yard, id, ({ type }) => type === 'question_required'))].reverse();
  if (asked?.type !== 'question_required') throw new Error('nobody was asked');
  await questions.answer(asked.data.question.id, 'Go');
  await readUntil(yard, id, isEndOf(turnId));
  expect(await changesOf(yard)).toEqual([
    { change: 'mode_changed', sessionId: id, subject: 'acceptEdits', actor: owner },
  ]);
});

it('trust given, a grant revoked and tokens created and revoked say who did it', async () => {
  const workspace = await memoryDirectory();
  await mkdir(join(workspace, '.toolyard'));
  await writeFile(join(workspace, '.toolyard', 'config.yaml'), 'limits: { maxSteps: 3 }\n');
  const { yard } = await openLedgerYard();
  const { sessions, approvals, grants, tokens, trust } = yard.client();
  const { hash } = await trust.look({ cwd: workspace });
  const { workspace: root } = await trust.trust({ cwd: workspace, hash });
  const { id } = await sessions.create();
  const { turnId } = await sessions.send(id, 'pay bob');
  await approvals.answer((await firstPending(yard)).id, { decision: 'allow', scope: 'session' });
  await readUntil(yard, id, isEndOf(turnId));
  const [grant] = (await grants.list()).items;
  await grants.revoke(grant?.id ?? '');
  await expect(grants.revoke(grant?.id ?? '')).rejects.toMatchObject({ code: 'grant_not_found' });
  const token = await tokens.create({ name: 'a', kind: 'agent', role: 'assistant' });
  await tokens.revoke(token.id);
  expect(await changesOf(yard)).toEqual([
    { change: 'workspace_trusted', subject: root, actor: owner },
    { change: 'grant_revoked', grantId: grant?.id, subject: 'mcp__suite__pay', actor: owner },
    { change: 'token_created', subject: `${token.id} agent assistant`, actor: owner },
    { change: 'token_revoked', subject: token.id, actor: owner },
  ]);
});

it('a change that is taken out of the audit shows', async () => {
  const yard = await openTestYard();
  const { id } = await yard.client().tokens.create({ name: 'a', kind: 'person' });
  await yard.client().tokens.revoke(id);
  await yard.close();
  const database = new DatabaseSync(join(yard.home, 'toolyard.db'));
  database.exec(`UPDATE audit SET body = replace(body, 'token_created', 'token_revoked') WHERE seq = 1`);
  database.close();
  const again = await openTestYard({ home: yard.home });
  expect(await again.client().audit.verify()).toEqual({ ok: false, rows: 2, brokenAt: 1 });
});
