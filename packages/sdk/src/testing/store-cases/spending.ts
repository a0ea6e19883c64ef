// Runs, and what is spent: each step once by its run and its task, and by every agent above it.
import type { Store } from '../../store/store.ts';
import type { Spending } from '../../store/store-agents.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  agentId,
  insertDispatches,
  insertSessions,
  rejectionCode,
  type StoreCase,
  sampleDispatch,
  sampleRun,
  sampleTime,
  sessionId,
  turnId,
} from '../support/store-samples.ts';

const laterTime = '2026-11-15T12:09:00.000Z';

async function spend(store: Store, agents: readonly number[], costUsd: number | null): Promise<void> {
  const spending: Spending = { runId: turnId(1), dispatchIds: agents.map(agentId), costUsd, tokens: 10 };
  await store.commit((tx) => tx.addSpending(spending));
}

/** What the tasks, the agents and the run have spent. */
async function readSpent({ reads }: Store) {
  const tasks = (await reads.tasks({ limit: 9 })).map(({ slug, costUsd }) => [slug, costUsd]);
  const agents = await reads.dispatches({ limit: 9 });
  const run = await reads.run(turnId(1));
  return {
    tasks,
    agents: agents.map(({ costUsd }) => costUsd),
    run: [run?.spentUsd, run?.tokens, run?.agents],
  };
}

export const spendingCases: StoreCase[] = [
  {
    title: 'keeps runs, what was added to their limits, and knows the newest of a root',
    async play({ store, reopen }) {
      await insertSessions(store, 2);
      const other = sampleRun(3, {
        rootSessionId: sessionId(2),
        agents: 4,
        spentUsd: 0.5,
        tokens: 7,
        waitedMs: 1.5,
        lastActiveAt: laterTime,
      });
      await store.commit(async (tx) => {
        for (const run of [sampleRun(2), sampleRun(1), other]) await tx.insertRun(run);
        await tx.updateRun(turnId(1), { raised: { budgetUsd: 5 } });
        await tx.updateRun(turnId(1), { waitedMs: 250, lastActiveAt: laterTime });
        await tx.updateRun(turnId(1), {});
      });
      const { reads, ...again } = await reopen();
      const raised = sampleRun(1, {
        raised: { budgetUsd: 5 },
        waitedMs: 250,
        lastActiveAt: laterTime,
      });
      assertEqual(await reads.latestRun(sessionId(1)), raised, 'the newest of the first root');
      assertEqual(await reads.run(turnId(3)), other, 'the other run');
      const spent = { runId: turnId(2), dispatchIds: [], costUsd: 0, tokens: 0 };
      await again.commit((tx) => tx.addSpending({ ...spent, at: laterTime }));
      await again.commit((tx) => tx.addSpending(spent));
      assertEqual((await reads.run(turnId(2)))?.lastActiveAt, laterTime, 'when somebody has worked in it');
      assertEqual(
        [await reads.run(turnId(9)), await reads.latestRun(sessionId(9))],
        [undefined, undefined],
        'none',
      );
      const update = again.commit((tx) => tx.updateRun(turnId(9), { waitedMs: 1 }));
      assertEqual(await rejectionCode(update), 'run_not_found', 'a run that is not there');
    },
  },
  {
    title: 'P8: counts a step once for its run and its task, and for all agents above it',
    async play({ store, reopen }) {
      await insertDispatches(store, [
        sampleDispatch(1),
        sampleDispatch(2, { depth: 2, taskSlug: 'other' }),
        sampleDispatch(3, { depth: 2 }),
        sampleDispatch(4, { drafted: false, id: turnId(5) }),
      ]);
      await spend(store, [1], 0.5);
      await spend(store, [2, 1], 1);
      await spend(store, [3, 1], 0.25);
      await spend(store, [], 2);
      const tasks = [
        ['other', 1],
        ['checkout', 0.75],
      ];
      const spent = { tasks, agents: [0, 0.25, 1, 1.75], run: [3.75, 40, 3] };
      assertEqual(await readSpent(store), spent, 'what is spent');
      await store.commit((tx) => tx.updateDispatch(agentId(2), { status: 'killed', endedAt: sampleTime }));
      await spend(store, [2, 1], null);
      await spend(store, [2, 1], 1);
      const unpriced = [
        ['other', null],
        ['checkout', 0.75],
      ];
      const after = { tasks: unpriced, agents: [0, 0.25, null, null], run: [4.75, 60, 3] };
      assertEqual(await readSpent(await reopen()), after, 'what is spent when a price was not known');
    },
  },
  {
    title: 'P8: keeps the budget that an agent was given since, also after its end, and all else of it',
    async play({ store, reopen }) {
      await insertDispatches(store, [
        sampleDispatch(1, { budgetUsd: 1.5, maxDepth: 4 }),
        sampleDispatch(2, { budgetUsd: null, keepWorktree: true }),
        sampleDispatch(3, { budgetUsd: 1, status: 'done', endedAt: sampleTime }),
      ]);
      await store.commit(async (tx) => {
        for (const [number, budgetUsd] of [1, 2, 3].map((each) => [each, each + 0.25] as const))
          await tx.updateDispatch(agentId(number), { budgetUsd });
        await tx.updateDispatch(agentId(1), { status: 'running', bounds: { tokens: 5, beganMs: 1.5 } });
      });
      const { reads } = await reopen();
      const bounds = { tokens: 5, beganMs: 1.5 };
      const raised = [
        sampleDispatch(1, { budgetUsd: 1.25, maxDepth: 4, status: 'running', bounds }),
        sampleDispatch(2, { budgetUsd: 2.25, keepWorktree: true }),
        sampleDispatch(3, { budgetUsd: 3.25, status: 'done', endedAt: sampleTime }),
      ];
      const stored = await Promise.all([1, 2, 3].map((number) => reads.dispatch(agentId(number))));
      assertEqual(stored, raised, 'what they have now');
    },
  },
  {
    title: 'P9: takes a run’s count of agents back with the draft that failed',
    async play({ store }) {
      await insertDispatches(store, [sampleDispatch(1)]);
      const failed = store.commit(async (tx) => {
        await tx.insertDispatch(sampleDispatch(2));
        throw new Error('no');
      });
      await rejectionCode(failed);
      assertEqual((await store.reads.run(turnId(1)))?.agents, 1, 'the agents of the run');
      assertEqual((await store.reads.task('checkout'))?.dispatchCount, 1, 'the dispatches of the task');
    },
  },
  {
    title: 'sums what all turns were charged with since a time, and keeps where in a run each was',
    async play({ store }) {
      await insertSessions(store, 2);
      const used = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
      const costs = [1, null, 0.5, 4];
      await store.commit(async (tx) => {
        for (const [number, costUsd] of costs.entries()) {
          const about = { turnId: turnId(number), sessionId: sessionId(1), role: 'developer', model: 'a/b' };
          const lineage = {
            runId: turnId(9),
            rootSessionId: sessionId(2),
            parentAgentId: agentId(1),
            depth: 2,
          };
          await tx.putUsage({
            ...about,
            ...used,
            endedAt: `2026-11-15T12:0${number}:00.000Z`,
            costUsd,
            ...(costUsd === null && { chargedUsd: 0.25 }),
            ...lineage,
          });
        }
      });
      assertEqual(await store.reads.spentSince('2026-11-15T12:00:00.000Z'), 5.75, 'all');
      assertEqual(await store.reads.spentSince('2026-11-15T12:02:00.000Z'), 4.5, 'the last two');
      assertEqual(await store.reads.spentSince('2026-11-15T12:04:00.000Z'), 0, 'none');
      await store.commit((tx) => tx.deleteSession(sessionId(2)));
      assertEqual(await store.reads.spentSince('2026-11-15T12:00:00.000Z'), 5.75, 'all, without the root');
    },
  },
];
