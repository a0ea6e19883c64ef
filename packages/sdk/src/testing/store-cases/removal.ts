// Deleting sessions: nothing of one can be read afterwards, however long it was; and transcripts whose sessions are gone.
import type { DeletedTranscript, Store } from '../../store/store.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  insertDispatches,
  insertSessions,
  readTexts,
  type StoreCase,
  sampleDispatch,
  sampleRun,
  sampleSession,
  sampleTime,
  sampleTurn,
  sessionId,
  textDraft,
  turnId,
} from '../support/store-samples.ts';

const long = 1_200;

async function appendMany(store: Store, session: number, count: number): Promise<void> {
  const drafts = Array.from({ length: count }, (_, index) => textDraft(session, `word${index}`));
  await store.commit((tx) => tx.append(drafts));
}

/** How many rounds it takes. */
async function clearAll(store: Store, limit: number): Promise<number> {
  for (let rounds = 1; ; rounds += 1) {
    if (!(await store.commit((tx) => tx.clearDeleted(limit)))) return rounds;
    if (rounds > 100) throw new Error('deleted sessions are never cleared away');
  }
}

const deleted: DeletedTranscript = {
  engine: 'native',
  token: '"t',
  path: '/\ud800',
  size: 7,
  modifiedAt: 1_794_727_765_083.25,
  deletedAt: sampleTime,
};

export const removalCases: StoreCase[] = [
  {
    title: 'P8: a run goes on as another session’s when that, too, has agents in it, and else it is gone',
    async play({ store, reopen }) {
      const under = (number: number, root: number) =>
        sampleDispatch(number, { rootSessionId: sessionId(root) });
      await insertDispatches(store, [under(1, 1), under(2, 3), under(3, 2)]);
      await store.commit((tx) => tx.insertRun(sampleRun(2)));
      await store.commit((tx) => tx.deleteSession(sessionId(1)));
      const again = await reopen();
      assertEqual((await again.reads.run(turnId(1)))?.rootSessionId, sessionId(2), 'the newest other one');
      assertEqual(await again.reads.run(turnId(2)), undefined, 'a run without others');
      await again.commit((tx) => tx.deleteSession(sessionId(3)));
      await again.commit((tx) => tx.deleteSession(sessionId(2)));
      assertEqual(await again.reads.run(turnId(1)), undefined, 'a run of which all are gone');
    },
  },
  {
    title: 'a long session is gone at once, and its rows soon, a few at a time',
    async play({ store, reopen }) {
      await insertSessions(store, 2);
      await appendMany(store, 1, long);
      await store.commit((tx) => tx.append([textDraft(2, 'kept')]));
      await store.commit((tx) => tx.insertRun(sampleRun(1)));
      await store.commit((tx) => tx.index([{ sessionId: sessionId(1), seq: 1, text: 'word0' }]));
      assertEqual(await store.commit((tx) => tx.deleteSession(sessionId(1))), true, 'what was deleted');
      const again = await reopen();
      const { reads } = again;
      assertEqual(
        (await reads.sessions({ limit: 9 })).map(({ id }) => id),
        [sessionId(2)],
        'the list',
      );
      assertEqual(await reads.session(sessionId(1)), undefined, 'the session');
      assertEqual(await reads.events(sessionId(1), 0, 9), [], 'its log');
      assertEqual(await reads.run(turnId(1)), undefined, 'its run');
      assertEqual(await reads.countSessions(sampleSession(1).cwd), 1, 'the count');
      const placed = await reads.allEvents(0, 9);
      assertEqual(
        placed.map(({ position }) => position),
        [long + 1],
        'the log of all sessions',
      );
      assertEqual(await reads.search({ phrases: [['word0']], limit: 9 }), [], 'what is found');
      assertEqual(await again.commit((tx) => tx.deleteSession(sessionId(1))), false, 'a second time');
      assertEqual(await reads.hasDeleted(), true, 'that there is something to clear away');
      assertEqual((await clearAll(again, 100)) > 5, true, 'that it takes several rounds');
      assertEqual(await reads.hasDeleted(), false, 'that there is nothing left');
      assertEqual(await readTexts(again, 2), ['1: kept'], 'the other log');
      assertEqual(await reads.lastPosition(), long + 1, 'the last position');
      await again.commit((tx) => tx.insertSession(sampleSession(1)));
      assertEqual(await readTexts(again, 1), [], 'a session of the same id');
    },
  },
  {
    title: 'takes the grants of a deleted session along, and no others',
    async play({ store }) {
      await insertSessions(store, 2);
      const grant = { tool: 'x', key: 'k', schemaHash: 's', reason: '', uses: 0, createdAt: sampleTime };
      const by = { kind: 'person', id: 'owner', via: 'cli' } as const;
      await store.commit(async (tx) => {
        for (const number of [1, 2]) {
          const rest = { id: `grt_${number}`, sessionId: sessionId(number), scope: 'session' as const };
          await tx.putGrant({ ...grant, ...rest, owner: by, expiresAt: '2099-01-01T00:00:00.000Z' });
        }
      });
      await store.commit((tx) => tx.deleteSession(sessionId(1)));
      assertEqual(
        (await store.reads.grants()).map(({ id }) => id),
        ['grt_2'],
        'the grants',
      );
    },
  },
  {
    title: 'lists the turns of a session and what was stored for each message, in order',
    async play({ store }) {
      await insertSessions(store, 2);
      await store.commit(async (tx) => {
        for (const number of [2, 1, 3]) await tx.insertTurn(sampleTurn(number, { state: 'completed' }));
        await tx.insertTurn(sampleTurn(4, { sessionId: sessionId(2) }));
        const at = { sessionId: sessionId(1), originTurnId: turnId(1) };
        await tx.saveCheckpoint(at, { append: ['a', { half: '\ud83d' }] });
        await tx.saveCheckpoint({ ...at, originTurnId: turnId(2) }, { append: ['of another'] });
        await tx.saveCheckpoint(at, { append: ['c'] });
      });
      const turns = await store.reads.turns(sessionId(1));
      assertEqual(
        turns.map(({ id }) => id),
        [2, 1, 3].map(turnId),
        'the turns',
      );
      assertEqual(await store.reads.entriesOf(turnId(1)), ['a', { half: '\ud83d' }, 'c'], 'the entries');
      assertEqual(await store.reads.entriesOf(turnId(9)), [], 'the entries of nothing');
    },
  },
  {
    title: 'keeps what is known of a deleted transcript until it is removed',
    async play({ store, reopen }) {
      const later = { ...deleted, size: 9 };
      const other = { ...deleted, token: 'z' };
      await store.commit(async (tx) => {
        for (const row of [deleted, later, other, { ...deleted, engine: 'else' }]) {
          await tx.putDeletedTranscript(row);
        }
      });
      const again = await reopen();
      assertEqual(await again.reads.deletedTranscript('native', '"t'), later, 'the last one put');
      const page = { engine: 'native', limit: 9 };
      assertEqual(await again.reads.deletedTranscripts(page), [later, other], 'all of an engine');
      const rest = await again.reads.deletedTranscripts({ ...page, after: '"t' });
      assertEqual(rest, [other], 'those after the first');
      await again.commit((tx) => tx.removeDeletedTranscript('native', '"t'));
      assertEqual(await again.reads.deletedTranscript('native', '"t'), undefined, 'one that is removed');
    },
  },
  {
    title: 'keeps where a session was forked from',
    async play({ store, reopen }) {
      const fork = sampleSession(1, { forkedFrom: { sessionId: sessionId(7), seq: 12 } });
      await store.commit((tx) => tx.insertSession(fork));
      assertEqual(await (await reopen()).reads.session(sessionId(1)), { ...fork, lastSeq: 0 }, 'the session');
    },
  },
];
