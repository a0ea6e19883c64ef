// An agent that is at work again after its end, and what a caller has drafted in all of its sessions.
import { assertEqual } from '../support/assertions.ts';
import {
  agentId,
  insertDispatches,
  rejectionCode,
  type StoreCase,
  sampleDispatch,
  sampleRun,
  sampleSession,
  sessionId,
  turnId,
} from '../support/store-samples.ts';
import { end, find, later, latest, result, update } from './agents.ts';

export const agentWorkCases: StoreCase[] = [
  {
    title: 'P6: an agent that goes on in another turn is queued again, and its next end counts',
    async play({ store, reopen }) {
      const report = { summary: 's', changes: [], issues: [], questions: [] };
      const place = { branch: 'b', path: '/"odd', base: 'c0ffee' };
      const failed = sampleDispatch(1, {
        status: 'failed',
        startedAt: later,
        endedAt: latest,
        report,
        result,
        costUsd: 0.5,
        error: { code: 'internal', message: 'no' },
        worktree: { ...place, diff: { files: 1, insertions: 2, deletions: 3, commits: 1 }, kept: true },
      });
      await insertDispatches(store, [failed]);
      await store.commit((tx) => tx.reopenDispatch(agentId(1), turnId(7)));
      const { endedAt, result: _, error, ...kept } = failed;
      const queued = { ...kept, status: 'queued', turnId: turnId(7), worktree: place };
      const again = await reopen();
      assertEqual(await again.reads.dispatch(agentId(1)), queued, 'at work again');
      assertEqual(await again.reads.dispatchOfTurn(turnId(7)), queued, 'by the turn it goes on in');
      assertEqual(await again.reads.dispatchOfTurn(turnId(2)), undefined, 'by the turn before');
      assertEqual(await find(again, { live: true, unresolved: true }), '1', 'those that live');
      assertEqual(await update(again, 1, end), { ...queued, ...end }, 'its next end');
      assertEqual(await find(again, { unresolved: true }), '', 'what is unresolved');
      const unknown = again.commit((tx) => tx.reopenDispatch(agentId(8), turnId(7)));
      assertEqual(await rejectionCode(unknown), 'agent_not_found', 'one that is not there');
    },
  },
  {
    title: 'P6: an agent that goes on keeps what it had said, if it had reported nothing',
    async play({ store, reopen }) {
      const expected = { ...result, summary: 'half \ud83d', reported: false };
      await insertDispatches(store, [
        sampleDispatch(1, { status: 'failed', endedAt: latest, result: expected }),
      ]);
      await store.commit((tx) => tx.reopenDispatch(agentId(1), turnId(7)));
      const queued = sampleDispatch(1, { status: 'queued', turnId: turnId(7), saidBefore: expected.summary });
      assertEqual(await (await reopen()).reads.dispatch(agentId(1)), queued, 'at work again');
    },
  },
  {
    title: 'finds what a caller has drafted and run in all of its sessions, and nothing of others',
    async play({ store, reopen }) {
      const own = { caller: 'agent:tok:mcp', role: 'coordinator', cwd: '/"odd' };
      const others = [
        { ...own, caller: 'agent:to' },
        { ...own, role: 'assistant' },
        { ...own, cwd: '/' },
      ];
      await store.commit(async (tx) => {
        for (const [index, rest] of [own, own, ...others].entries())
          await tx.insertSession(sampleSession(index + 11, rest));
        for (const number of [11, 13, 12, 14, 15])
          await tx.insertRun(sampleRun(number, { rootSessionId: sessionId(number) }));
      });
      const under = (number: number) => sampleDispatch(number, { rootSessionId: sessionId(number + 10) });
      await insertDispatches(store, [under(1), under(3), under(2), under(4), under(5)]);
      const again = await reopen();
      assertEqual((await again.reads.latestRun(own))?.id, turnId(12), 'the newest run');
      assertEqual(await find(again, { under: own }), '21', 'the agents');
      assertEqual(await find(again, { under: own, live: true, drafted: true }), '21', 'the live ones');
      assertEqual(await find(again, { under: { ...own, caller: 'nobody' } }), '', 'of somebody unknown');
      assertEqual(await again.reads.latestRun({ ...own, role: 'x' }), undefined, 'no run');
      assertEqual((await again.reads.session(sessionId(11)))?.caller, own.caller, 'who calls');
    },
  },
];
