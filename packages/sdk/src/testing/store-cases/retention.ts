// Retention's view of the store: who may go, in which order, and how large the store is.
import type { DispatchPlace } from '../../store/store-retention.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  agentId,
  insertDispatches,
  type StoreCase,
  sampleDispatch,
  sampleSession,
  sampleTime,
  sampleTurn,
  sessionId,
  textDraft,
} from '../support/store-samples.ts';
import { sampleApproval, sampleQuestion } from './pending.ts';

/** A time so many days before the sample's. */
function daysAgo(days: number): string {
  return new Date(Date.parse(sampleTime) - days * 86_400_000).toISOString();
}

export const retentionCases: StoreCase[] = [
  {
    title: 'gives the sessions that nobody touched, the longest untouched first, page by page',
    async play({ store }) {
      await store.commit(async (tx) => {
        for (const [number, days] of [3, 1, 2, 2, 0].entries()) {
          const status = number === 2 ? 'closed' : 'idle';
          await tx.insertSession(sampleSession(number + 1, { status, updatedAt: daysAgo(days) }));
        }
      });
      const wanted = { before: daysAgo(0), limit: 2 };
      const first = await store.reads.untouchedSessions(wanted);
      const next = await store.reads.untouchedSessions({ ...wanted, after: first.at(-1) });
      const last = await store.reads.untouchedSessions({ ...wanted, after: next.at(-1) });
      assertEqual(
        [first, next, last],
        [
          [
            { id: sessionId(1), updatedAt: daysAgo(3) },
            { id: sessionId(3), updatedAt: daysAgo(2) },
          ],
          [
            { id: sessionId(4), updatedAt: daysAgo(2) },
            { id: sessionId(2), updatedAt: daysAgo(1) },
          ],
          [],
        ],
        'the pages',
      );
    },
  },
  {
    title: 'never gives one in which something runs, is queued or waits for a person, nor one begun outside',
    async play({ store }) {
      const updatedAt = daysAgo(9);
      await store.commit(async (tx) => {
        await tx.insertSession(sampleSession(1, { updatedAt, status: 'running' }));
        await tx.insertSession(sampleSession(2, { updatedAt, status: 'waiting' }));
        for (const number of [3, 4, 5, 6, 9]) await tx.insertSession(sampleSession(number, { updatedAt }));
        for (const number of [7, 8])
          await tx.insertSession(sampleSession(number, { updatedAt, origin: 'outside' }));
        await tx.insertTurn(sampleTurn(3, { sessionId: sessionId(3), state: 'queued' }));
        await tx.insertTurn(sampleTurn(4, { sessionId: sessionId(4), state: 'running' }));
        await tx.putApproval(sampleApproval(5, 5));
        await tx.putQuestion(sampleQuestion(6, 6));
        await tx.append([textDraft(8, 'read into the log')]);
        await tx.insertTurn(sampleTurn(9, { sessionId: sessionId(9), state: 'failed' }));
      });
      const found = await store.reads.untouchedSessions({ before: sampleTime, limit: 100 });
      assertEqual(
        found.map(({ id }) => id),
        [sessionId(9)],
        'who may go',
      );
    },
  },
  {
    title: 'knows how large it is, and gives back what was deleted, a little at a time',
    async play({ store, reopen }) {
      await store.commit((tx) => tx.insertSession(sampleSession(1)));
      const empty = await store.reads.storeSize();
      const long = 'x'.repeat(10_000);
      for (let round = 0; round < 4; round++) {
        await store.commit((tx) => tx.append(Array.from({ length: 50 }, () => textDraft(1, long))));
      }
      const full = await store.reads.storeSize();
      assertEqual(full.usedBytes > empty.usedBytes + 2_000_000, true, 'that it has grown');
      await store.commit((tx) => tx.deleteSession(sessionId(1)));
      while (await store.commit((tx) => tx.clearDeleted(100)));
      const cleared = await store.reads.storeSize();
      assertEqual(cleared.usedBytes < 500_000, true, 'that rows are gone');
      let steps = 0;
      while (await store.commit((tx) => tx.shrink(200_000))) steps += 1;
      const { usedBytes, freeBytes } = await (await reopen()).reads.storeSize();
      assertEqual(
        [usedBytes < 500_000, freeBytes === 0, steps > 5],
        [true, true, true],
        'that it has shrunk',
      );
    },
  },
  {
    title:
      'knows about how much of it stays whatever is deleted, and how much is of sessions that may not go',
    async play({ store }) {
      await store.commit(async (tx) => {
        await tx.insertSession(sampleSession(1, { updatedAt: daysAgo(9), status: 'running' }));
        await tx.insertSession(sampleSession(2, { updatedAt: daysAgo(1) }));
        await tx.insertSession(sampleSession(3, { updatedAt: daysAgo(9) }));
      });
      const none = [await store.reads.recordBytes(), await store.reads.heldBytes(daysAgo(5))];
      const actor = { kind: 'system', id: 'x', via: 'x' } as const;
      const entry = { kind: 'change', at: sampleTime, actor, costUsd: 0, change: 'token_created' } as const;
      await store.commit(async (tx) => {
        for (let row = 0; row < 500; row++)
          await tx.appendAudit({ ...entry, subject: 'x'.repeat(row % 2 ? 1_000 : 3_000) });
        await tx.append([
          ...Array.from({ length: 50 }, () => textDraft(1, 'x'.repeat(10_000))),
          ...Array.from({ length: 50 }, () => textDraft(2, 'x'.repeat(20_000))),
          ...Array.from({ length: 50 }, () => textDraft(3, 'x'.repeat(90_000))),
        ]);
      });
      const [records, held] = [await store.reads.recordBytes(), await store.reads.heldBytes(daysAgo(5))];
      assertEqual(none, [0, 0], 'what an empty store says');
      assertEqual([records > 900_000, records < 1_300_000], [true, true], `that ${records} is about right`);
      assertEqual([held > 1_400_000, held < 1_700_000], [true, true], `that ${held} is about right`);
    },
  },
  {
    title: 'removes work that is old and whose session is gone, and its task keeps what it has counted',
    async play({ store, reopen }) {
      const old = { draftedAt: daysAgo(9), startedAt: daysAgo(9), endedAt: daysAgo(8) };
      const rows = [
        sampleDispatch(1, { ...old, status: 'done' }),
        sampleDispatch(2, { ...old, status: 'failed', sessionId: sessionId(9) }),
        // It has ended only now; its session is there; somebody still works beside it.
        sampleDispatch(3, { ...old, status: 'done', endedAt: daysAgo(1) }),
        sampleDispatch(4, { ...old, status: 'done' }),
        sampleDispatch(5, { ...old, status: 'done', rootSessionId: sessionId(8) }),
        sampleDispatch(6, { draftedAt: daysAgo(1), rootSessionId: sessionId(8), status: 'running' }),
      ];
      await insertDispatches(store, rows);
      await store.commit(async (tx) => {
        for (const number of [2, 9, 4, 6]) await tx.deleteSession(sessionId(number));
      });
      const pages = [];
      for (let after: DispatchPlace | undefined; ; ) {
        const page = await store.commit((tx) =>
          tx.removeDispatches({ before: daysAgo(5), limit: 2, ...(after && { after }) }),
        );
        pages.push(page.removed);
        after = page.next;
        if (!after) break;
      }
      assertEqual(pages, [2, 0, 0], 'how many went');
      const { reads } = await reopen();
      const left = await reads.dispatches({ taskSlug: 'checkout', limit: 100 });
      assertEqual(
        left.map(({ id }) => id),
        [6, 5, 4, 3].map(agentId),
        'who is left',
      );
      assertEqual((await reads.task('checkout'))?.dispatchCount, 6, 'what the task has counted');
      assertEqual(
        await reads.countByStatus('checkout'),
        { done: 4, failed: 1, running: 1 },
        'how they ended',
      );
    },
  },
];
