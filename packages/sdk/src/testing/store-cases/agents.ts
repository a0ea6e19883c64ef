// Dispatches: kept whole, found by what is asked of them, ended once, and emptied with their session.
import type { AgentResult } from '../../protocol/agent.ts';
import type { Store } from '../../store/store.ts';
import type { DispatchFilter, DispatchPatch, DispatchRow } from '../../store/store-agents.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  agentId,
  insertDispatches,
  rejectionCode,
  type StoreCase,
  sampleDispatch,
  sampleTime,
  sessionId,
  turnId,
} from '../support/store-samples.ts';

export const result: AgentResult = {
  summary: 'Done \ud83d',
  changes: ['a.ts'],
  issues: [],
  questions: [],
  reported: true,
};
export const later = '2026-11-15T12:01:00.000Z';
export const latest = '2026-11-15T12:02:00.000Z';
export const end = { status: 'done', endedAt: later, result } as const;

/** All that a dispatch may have. */
const whole = sampleDispatch(1, {
  prompt: 'half \ud83d and\0nothing',
  status: 'running',
  parentAgentId: agentId(9),
  call: { turnId: turnId(9), toolCallId: 'call' },
  depth: 2,
  budgetUsd: 1.5,
  costUsd: 0.25,
  startedAt: later,
  endedAt: latest,
  worktree: { branch: 'b', path: '/"odd', base: 'c0ffee' },
  report: { summary: 's', changes: [], issues: ['i'], questions: [] },
  saidBefore: 'half \ud83d',
  result,
  error: { code: 'budget_limit', message: 'm', data: { limit: 'tokens' } },
  tokens: 7,
  bounds: { tokens: 100, wallMinutes: 1.5, maxAgents: 2, spawnPerMinute: 1, beganMs: 0.5 },
  sharesBudget: true,
  keepWorktree: true,
});

/** A person's own turn on a task: its id is the turn's. */
function ownTurn(number: number, rest: Partial<DispatchRow> = {}): DispatchRow {
  const { parentSessionId, ...row } = sampleDispatch(number, {
    drafted: false,
    id: turnId(number + 1),
    depth: 0,
  });
  return { ...row, ...rest };
}

export async function update(
  store: Store,
  number: number,
  patch: DispatchPatch,
): Promise<DispatchRow | undefined> {
  await store.commit((tx) => tx.updateDispatch(agentId(number), patch));
  return store.reads.dispatch(agentId(number));
}

/** The last digit of each, as one word, and that there are as many. */
export async function find(store: Store, filter: DispatchFilter): Promise<string> {
  const found = await store.reads.dispatches({ ...filter, limit: 9 });
  assertEqual(
    await store.reads.countDispatches(filter),
    found.length,
    `the count of ${JSON.stringify(filter)}`,
  );
  return found.map(({ id }) => id.at(-1)).join('');
}

const many: DispatchRow[] = [
  sampleDispatch(1, { status: 'done', result }),
  sampleDispatch(2, { status: 'done', result: { ...result, questions: ['?'] }, runId: turnId(9) }),
  sampleDispatch(3, { status: 'failed', parentSessionId: sessionId(2), draftedAt: latest }),
  sampleDispatch(4, { status: 'running', taskSlug: 'other', rootSessionId: sessionId(9), draftedAt: later }),
  ownTurn(5, { status: 'waiting', draftedAt: later }),
  sampleDispatch(7, { status: 'done', result: { ...result, issues: ['!'] } }),
];

const answers: [DispatchFilter, string][] = [
  [{}, '764321'],
  [{ drafted: true }, '74321'],
  [{ drafted: false }, '6'],
  [{ live: true }, '64'],
  [{ live: false }, '7321'],
  [{ unresolved: true }, '76432'],
  [{ unresolved: false }, '1'],
  [{ taskSlug: 'checkout' }, '76321'],
  [{ taskSlug: 'checkout', unresolved: true }, '7632'],
  [{ taskSlug: 'checkout', live: true, drafted: true }, ''],
  [{ runId: turnId(9) }, '2'],
  [{ runId: turnId(1), drafted: true, since: sampleTime }, '43'],
  [{ rootSessionId: sessionId(9), live: true }, '4'],
  [{ rootSessionId: sessionId(1) }, '76321'],
  [{ parentSessionId: sessionId(1), live: true }, '4'],
  [{ parentSessionId: sessionId(2) }, '3'],
  [{ since: later }, '3'],
  [{ taskSlug: 'nowhere' }, ''],
];

export const agentCases: StoreCase[] = [
  {
    title: 'P6: keeps all of a dispatch, and finds it by its turn',
    async play({ store, reopen }) {
      await insertDispatches(store, [whole, sampleDispatch(2, { costUsd: null })]);
      const { reads } = await reopen();
      assertEqual(await reads.dispatch(agentId(1)), whole, 'the whole one');
      assertEqual(await reads.dispatch(agentId(2)), sampleDispatch(2, { costUsd: null }), 'the plain one');
      assertEqual(await reads.dispatchOfTurn(turnId(2)), whole, 'by its turn');
      const none = [await reads.dispatch(agentId(8)), await reads.dispatchOfTurn(turnId(8))];
      assertEqual(none, [undefined, undefined], 'those that are not there');
    },
  },
  {
    title: 'finds dispatches by what they are and to whom they belong, newest first, and counts them',
    async play({ store }) {
      await insertDispatches(store, many);
      for (const [filter, expected] of answers) {
        assertEqual(await find(store, filter), expected, JSON.stringify(filter));
      }
      const page = { taskSlug: 'checkout', limit: 2 };
      const [first, second] = await store.reads.dispatches(page);
      const next = await store.reads.dispatches({ ...page, after: second?.id });
      const ids = [first, second, ...next].map((row) => row?.id.at(-1));
      assertEqual(ids, ['7', '6', '3', '2'], 'two pages');
      assertEqual(
        await store.reads.dispatches({ limit: 2, after: agentId(8) }),
        [],
        'after one that is unknown',
      );
    },
  },
  {
    title: 'P6: the first end of a dispatch is its end, and nothing is reported after it',
    async play({ store, reopen }) {
      await insertDispatches(store, [sampleDispatch(1)]);
      const running = { ...sampleDispatch(1), status: 'running', startedAt: later };
      assertEqual(await update(store, 1, { status: 'running', startedAt: later }), running, 'one that runs');
      const report = { summary: 's', changes: [], issues: [], questions: [] };
      assertEqual(await update(store, 1, { report }), { ...running, report }, 'one that has reported');
      const ended = { ...running, report, ...end };
      assertEqual(await update(store, 1, end), ended, 'one that has ended');
      const worktree = { branch: 'b', path: '/w', base: 'c' };
      const second = {
        status: 'killed',
        endedAt: latest,
        error: { code: 'internal', message: '' },
        worktree,
        budgetUsd: 9,
      } as const;
      const patches: DispatchPatch[] = [
        second,
        { status: 'running' },
        { status: 'done', result: { ...result, summary: 'other' } },
        { report: { ...report, summary: 'late' } },
        { result: { ...result, summary: 'late' } },
        {},
      ];
      for (const patch of patches) assertEqual(await update(store, 1, patch), ended, JSON.stringify(patch));
      assertEqual(await update(store, 1, { worktree }), { ...ended, worktree }, 'where it worked');
      assertEqual(await store.reads.countByStatus('checkout'), { done: 1 }, 'how many are how');
      const unknown = store.commit((tx) => tx.updateDispatch(agentId(8), { status: 'done' }));
      assertEqual(await rejectionCode(unknown), 'agent_not_found', 'one that is not there');
      assertEqual(await (await reopen()).reads.dispatch(agentId(1)), { ...ended, worktree }, 'afterwards');
    },
  },
  {
    title: 'knows what is unresolved by how a dispatch ends',
    async play({ store }) {
      await insertDispatches(
        store,
        [1, 2, 3, 4].map((number) => sampleDispatch(number)),
      );
      assertEqual(await find(store, { unresolved: true }), '4321', 'while all live');
      await update(store, 1, end);
      await update(store, 2, { ...end, result: { ...result, questions: ['?'] } });
      await update(store, 3, { status: 'expired', endedAt: later });
      await update(store, 4, { result: { ...result, issues: ['!'] } });
      await update(store, 4, { status: 'done', endedAt: later });
      assertEqual(await find(store, { unresolved: true }), '432', 'when all have ended');
      assertEqual(await find(store, { live: true }), '', 'those that live');
    },
  },
  {
    title:
      'a deleted session leaves who worked on the task, when and at what cost, and nothing that was said',
    async play({ store, reopen }) {
      const secret: DispatchRow = { ...whole, status: 'done', result: { ...result, questions: ['secret'] } };
      await insertDispatches(store, [secret, sampleDispatch(2, { status: 'failed' })]);
      const spending = { runId: turnId(1), dispatchIds: [agentId(1)], costUsd: 1, tokens: 5 };
      await store.commit((tx) => tx.addSpending(spending));
      await store.commit((tx) => tx.deleteSession(sessionId(2)));
      const { report, saidBefore, error, ...kept } = secret;
      const empty = { changes: [], issues: [], questions: [], reported: false };
      const emptied = {
        ...kept,
        prompt: '',
        costUsd: 1.25,
        tokens: 12,
        result: { summary: 'Deleted with its session.', ...empty },
      };
      const again = await reopen();
      assertEqual(await again.reads.dispatch(agentId(1)), emptied, 'what is left');
      assertEqual(await find(again, { unresolved: true }), '2', 'what is unresolved');
      assertEqual((await again.reads.task('checkout'))?.costUsd, 1, 'what the task cost');
      assertEqual((await again.reads.run(turnId(1)))?.spentUsd, 1, 'the run of a root that is there');
      await again.commit((tx) => tx.deleteSession(sessionId(1)));
      assertEqual(await again.reads.run(turnId(1)), undefined, 'the run of a deleted root');
      await again.commit((tx) => tx.addSpending(spending));
      assertEqual((await again.reads.dispatch(agentId(1)))?.costUsd, 2.25, 'what it spends afterwards');
    },
  },
];
