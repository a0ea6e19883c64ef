// A yes adds to the very limits that were asked about, each of them once.
import type { AskedLimit, RunRow, Store } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { raiseIn } from '../../../src/core/budget/raise-limit.ts';
import { newRun } from '../../../src/core/budget/run-row.ts';
import { addSession, at, sessionId, toDispatch, toId } from '../../store/rows.ts';
import { newPath, openTestStore } from '../../store/support.ts';

const runId = toId('trn', 0);
const [own, sharing] = [toId('agt', 1), toId('agt', 2)];

/** A run with an agent that has a dollar of its own, and one under it that has none. */
async function openRun(raised: RunRow['raised']) {
  const { store } = await openTestStore(newPath());
  for (const number of [1, 2]) await addSession(store, number);
  await store.commit(async (tx) => {
    await tx.insertTask({ slug: 'a', description: '', createdAt: at });
    await tx.insertRun({ ...newRun(runId, sessionId(1), at), raised });
    await tx.insertDispatch({ ...toDispatch(1, 'a'), budgetUsd: 1 });
    const below = { parentAgentId: own, sharesBudget: true, budgetUsd: 1 };
    await tx.insertDispatch({ ...toDispatch(2, 'a'), ...below });
  });
  return store;
}

async function raise(store: Store, asked: Pick<AskedLimit, 'limit' | 'agentId' | 'raise'>) {
  await store.commit((tx) => raiseIn(tx, { runId, max: 1, ...asked }, at));
  const budgets = [own, sharing].map(async (id) => (await store.reads.dispatch(id))?.budgetUsd);
  return { raised: (await store.reads.run(runId))?.raised, budgets: await Promise.all(budgets) };
}

it('the same yes a second time adds nothing', async () => {
  const store = await openRun({ tokens: 5 });
  const asked = { limit: 'tokens', raise: { by: 7, from: { [runId]: 5 } } } as const;
  const once = { raised: { tokens: 12 }, budgets: [1, 1] };
  expect([await raise(store, asked), await raise(store, asked)]).toEqual([once, once]);
});

it('more for an agent is more for those that spend its money, not for its run', async () => {
  const store = await openRun({});
  const asked = { limit: 'budgetUsd', agentId: own, raise: { by: 2, from: { [own]: 1 } } } as const;
  expect(await raise(store, asked)).toEqual({ raised: {}, budgets: [3, 3] });
});

it('what has more by another answer gets none by this one, and nobody does when it is what was asked about', async () => {
  const store = await openRun({ budgetUsd: 4 });
  const from = { [runId]: 4, [own]: 0.5 };
  const ofRun = { limit: 'budgetUsd', raise: { by: 2, from } } as const;
  const raised = { raised: { budgetUsd: 6 }, budgets: [1, 1] };
  expect(await raise(store, ofRun)).toEqual(raised);
  expect(
    await raise(store, { ...ofRun, agentId: own, raise: { by: 2, from: { ...from, [runId]: 6 } } }),
  ).toEqual(raised);
});
