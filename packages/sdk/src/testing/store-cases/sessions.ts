// Session rows: they come back whole, in pages, newest first.
import type { Session } from '../../protocol/session.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  insertSessions,
  rejectionCode,
  type StoreCase,
  sampleSession,
  sessionId,
  textDraft,
} from '../support/store-samples.ts';

export const sessionCases: StoreCase[] = [
  {
    title: 'gives a session back whole, with the number of its last event',
    async play({ store, reopen }) {
      const plain = sampleSession(1, { costUsd: null });
      const strange = sampleSession(2, {
        title: 'cut in half \ud83d',
        cwd: '/a "quoted" directory',
        model: '"m"',
        mode: 'plan',
        parentAgentId: 'agt_1',
        rootSessionId: sessionId(1),
        costUsd: 0.25,
      });
      await store.commit(async (tx) => {
        await tx.insertSession(plain);
        await tx.insertSession(strange);
        await tx.append([textDraft(2, 'a'), textDraft(2, 'b')]);
      });
      const { reads } = await reopen();
      const found = [await reads.session(sessionId(1)), await reads.session(sessionId(2))];
      assertEqual(
        found,
        [
          { ...plain, lastSeq: 0 },
          { ...strange, lastSeq: 2 },
        ],
        'the sessions',
      );
      assertEqual(await reads.session(sessionId(9)), undefined, 'a session that is not there');
    },
  },
  {
    title: 'changes only the patched fields of a session, and says when there is none',
    async play({ store }) {
      await insertSessions(store, 2);
      const patch = {
        title: 'New',
        status: 'running',
        costUsd: null,
        updatedAt: '2027-01-01T00:00:00.000Z',
      } as const;
      await store.commit(async (tx) => {
        await tx.updateSession(sessionId(1), patch);
        await tx.updateSession(sessionId(2), {});
      });
      const found = await store.reads.sessions({ limit: 10 });
      const expected: Session[] = [
        { ...sampleSession(2), lastSeq: 0 },
        { ...sampleSession(1), ...patch, lastSeq: 0 },
      ];
      assertEqual(found, expected, 'the sessions');
      const code = await rejectionCode(store.commit((tx) => tx.updateSession(sessionId(9), { title: 'x' })));
      assertEqual(code, 'session_not_found', 'the refusal');
    },
  },
  {
    title: 'lists sessions newest first, a page at a time, each once',
    async play({ store }) {
      await insertSessions(store, 7);
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await store.reads.sessions({ limit: 3, ...(after && { after }) });
        if (page.length === 0) break;
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1)?.id;
      }
      assertEqual(seen, [7, 6, 5, 4, 3, 2, 1].map(sessionId), 'the list');
    },
  },
  {
    title: 'counts the sessions of exactly one directory',
    async play({ store }) {
      const directories = ['/a', '/a', '/a/', '/A', '/a/b', '"/a"', '/\ud800'];
      await store.commit(async (tx) => {
        for (const [index, cwd] of directories.entries())
          await tx.insertSession(sampleSession(index + 1, { cwd }));
      });
      const counts = await Promise.all(
        ['/a', '/a/b', '"/a"', '/\ud800', '/%'].map(store.reads.countSessions),
      );
      assertEqual(counts, [2, 1, 1, 1, 0], 'the counts');
    },
  },
];
