// What waits for a person, as far as its amount, its size and its time are bounded; and what changes while it waits.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine, pause, type Question, type Store } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { firstPending, openLedgerYard, pendingOf, textOf } from '../../support/ledger.ts';
import { isEndOf, memoryDirectory, openTestYard, readUntil } from '../../support/yard.ts';

const large = 'x'.repeat(200_000);

describe('approvals', () => {
  it('are counted without a look at any of them', async () => {
    const read: unknown[] = [];
    const wrapStore = (store: Store): Store => ({
      ...store,
      lastAliveAt: store.lastAliveAt,
      commit: (write) =>
        store.commit((tx) =>
          write({
            ...tx,
            approvals(filter) {
              read.push(filter);
              return tx.approvals(filter);
            },
          }),
        ),
    });
    const { yard, ran } = await openLedgerYard('toolApproval: { maxPending: 2 }', { wrapStore });
    const { sessions, approvals } = yard.client();
    const { id } = await sessions.create();
    const { turnId } = await sessions.send(id, 'pay a, pay b, pay c');
    for (const { id: each } of await pendingOf(yard, 2)) await approvals.answer(each, { decision: 'allow' });
    const text = textOf(await readUntil(yard, id, isEndOf(turnId)));
    expect(text).toContain('The call was not run: This session already has 2 pending approvals.');
    expect(ran).toHaveLength(2);
    // Only the end of the turn looks, for what it must cancel.
    expect(read).toEqual([{ state: 'pending', turnId, limit: 10_000 }]);
  });

  it('are not asked about what nobody could read', async () => {
    const { yard, ran } = await openLedgerYard();
    const { tools, audit } = yard.client();
    const { text } = await tools.call('mcp__suite__pay', { input: { to: 'x'.repeat(262_144) } });
    expect(text).toBe(
      'The call was not run: its input is too large to show to a person. Use a smaller input.',
    );
    expect((await audit.list()).items).toMatchObject([
      { decision: 'deny', rule: 'input too large to be shown' },
    ]);
    expect(ran).toEqual([]);
  });

  it('that are large are cut in a list, which says so, and whole by themselves', async () => {
    const { yard, ran } = await openLedgerYard();
    const { tools, approvals } = yard.client();
    const call = tools.call('mcp__suite__pay', { input: { to: large } });
    const listed = await firstPending(yard);
    expect(listed).toMatchObject({ shortenedFrom: large.length + '{"to":""}'.length });
    expect(JSON.stringify(listed).length).toBeLessThan(12_000);
    expect(listed.input).toMatch(/^\{"to":"x{2041}⟨… 195913 characters …⟩x{2046}"\}$/);
    const whole = await approvals.get(listed.id);
    expect(whole).toMatchObject({ input: { to: large } });
    expect(whole).not.toHaveProperty('shortenedFrom');
    await approvals.answer(listed.id, { decision: 'allow', scope: 'session' });
    expect(await call).toMatchObject({ isError: false });
    expect(ran).toEqual([large]);
  });

  it('are found by the call that asks', async () => {
    const { yard } = await openLedgerYard();
    const { sessions, approvals } = yard.client();
    const { id } = await sessions.create();
    await sessions.send(id, 'pay a, pay b');
    const [one, other] = await pendingOf(yard, 2);
    const find = async (toolCallId = '') => (await approvals.list({ state: 'pending', toolCallId })).items;
    expect(await find(one?.toolCallId)).toEqual([one]);
    expect(await find(other?.toolCallId)).toEqual([other]);
    expect(await find('call_x')).toEqual([]);
    await sessions.interrupt(id);
  });

  it('that are allowed after the session has gone into plan mode run nothing', async () => {
    const { yard, ran } = await openLedgerYard();
    const { sessions, approvals, audit } = yard.client();
    const { id } = await sessions.create();
    const { turnId } = await sessions.send(id, 'pay bob');
    const { id: approvalId } = await firstPending(yard);
    await sessions.change(id, { mode: 'plan' });
    await approvals.answer(approvalId, { decision: 'allow' });
    const rule = 'mode plan refuses: write elsewhere, execute, external';
    expect(textOf(await readUntil(yard, id, isEndOf(turnId)))).toBe(`The call was not run: ${rule}.`);
    expect(ran).toEqual([]);
    expect((await audit.list()).items.at(-1)).toMatchObject({ decision: 'deny', rule });
  });
});

/** Asks so many questions at once, and says how each ended. */
function createAsker(count: number): Engine {
  return {
    id: 'asker',
    nativeTools: [],
    start: async () => ({
      async prompt(_, host) {
        const asked = Array.from({ length: count }, (__, index) => host.ask({ text: `Question ${index}?` }));
        await host.emit({ type: 'text_delta', data: { text: JSON.stringify(await Promise.all(asked)) } });
        return { outcome: 'completed' };
      },
      close: async () => {},
    }),
  };
}

async function openAsking(config: string, count = 1) {
  const home = await memoryDirectory();
  await writeFile(join(home, 'config.yaml'), config);
  const yard = await openTestYard({ home, engine: createAsker(count) });
  const { sessions, questions } = yard.client();
  const { id } = await sessions.create();
  const { turnId } = await sessions.send(id, 'ask');
  const when = async (isSo: (pending: Question[]) => boolean): Promise<Question[]> => {
    for (let tries = 0; tries < 250; tries++) {
      const { items } = await questions.list({ state: 'pending' });
      if (isSo(items)) return items;
      await pause(20);
    }
    throw new Error('it did not become so');
  };
  return { yard, id, turnId, questions, when };
}

describe('questions', () => {
  it('wait in a session up to a number, and beyond it are not asked', async () => {
    const { yard, id, turnId, questions, when } = await openAsking('toolApproval: { maxQuestions: 2 }', 4);
    for (const each of await when(({ length }) => length === 2)) await questions.answer(each.id, 'yes');
    const said: { state: string }[] = JSON.parse(textOf(await readUntil(yard, id, isEndOf(turnId))));
    expect(said.map(({ state }) => state).sort()).toEqual(['answered', 'answered', 'cancelled', 'cancelled']);
    expect((await questions.list()).items).toHaveLength(2);
  });

  it('are parked where nobody is there to answer, and wait on', async () => {
    const config = 'toolApproval: { approvalTimeout: 50, unattended: park }';
    const { yard, id, turnId, questions, when } = await openAsking(config);
    const [parked] = await when(([first]) => first?.expiresAt === null);
    // Another that is asked now is parked when the first would have been given up a second time.
    const { sessions } = yard.client();
    await sessions.send((await sessions.create()).id, 'ask');
    await when((items) => items.length === 2 && items.every(({ expiresAt }) => expiresAt === null));
    expect(await questions.get(parked?.id ?? '')).toMatchObject({ state: 'pending', unattended: 'park' });
    await questions.answer(parked?.id ?? '', 'at last');
    const said = textOf(await readUntil(yard, id, isEndOf(turnId)));
    expect(JSON.parse(said)).toEqual([{ state: 'answered', answer: 'at last' }]);
  });
});
