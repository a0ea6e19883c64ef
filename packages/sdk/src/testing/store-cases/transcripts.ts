// Transcripts on disk: which sessions they are, how far they were read; and sessions that are deleted.
import type { TranscriptRow } from '../../store/store.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  insertSessions,
  readTexts,
  rejectionCode,
  type StoreCase,
  sampleSession,
  sampleTurn,
  sessionId,
  textDraft,
  turnId,
} from '../support/store-samples.ts';

function sampleTranscript(token: string, rest: Partial<TranscriptRow> = {}): TranscriptRow {
  const path = `/home/someone/transcripts/${token}`;
  return {
    engine: 'native',
    token,
    sessionId: sessionId(1),
    path,
    size: 10,
    modifiedAt: 1_794_727_765_083.25,
    title: '"A title',
    ...rest,
  };
}

export const transcriptCases: StoreCase[] = [
  {
    title: 'gives a transcript back whole, replaced by the last one put',
    async play({ store, reopen }) {
      await insertSessions(store, 2);
      const first = sampleTranscript('"a');
      const second = {
        ...first,
        sessionId: sessionId(2),
        path: '/\ud800',
        size: 2 ** 40,
        openTurnId: turnId(1),
      };
      const other = sampleTranscript('"a', { engine: 'other', cursor: { offset: 7, text: 'half \ud83d' } });
      await store.commit(async (tx) => {
        await tx.putTranscript({ ...first, cursor: [1] });
        await tx.putTranscript(other);
        await tx.putTranscript(second);
      });
      const { reads } = await reopen();
      const found = [await reads.transcript('native', '"a'), await reads.transcript('other', '"a')];
      assertEqual(found, [second, other], 'the transcripts');
      assertEqual(await reads.transcript('native', 'a'), undefined, 'one that is not there');
    },
  },
  {
    title: "pages through an engine's transcripts, each once",
    async play({ store }) {
      await insertSessions(store, 1);
      const tokens = ['a', 'b', 'c', 'd', 'e'];
      await store.commit(async (tx) => {
        for (const token of tokens) await tx.putTranscript(sampleTranscript(token));
        await tx.putTranscript(sampleTranscript('c', { engine: 'other' }));
      });
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await store.reads.transcripts({ engine: 'native', limit: 2, ...(after && { after }) });
        if (page.length === 0) break;
        seen.push(...page.map(({ token }) => token));
        after = page.at(-1)?.token;
      }
      assertEqual(seen, tokens, 'the tokens');
    },
  },
  {
    title: "finds the sessions of one engine by the engine's own token",
    async play({ store }) {
      await store.commit(async (tx) => {
        for (const number of [3, 1, 2]) await tx.insertSession(sampleSession(number));
        await tx.insertSession(sampleSession(4, { engine: 'other' }));
        for (const number of [1, 3, 4]) {
          const at = { sessionId: sessionId(number), originTurnId: turnId(number) };
          await tx.saveCheckpoint(at, { token: '"t' });
        }
      });
      assertEqual(await store.reads.sessionsByToken('native', '"t'), [1, 3].map(sessionId), 'the sessions');
      assertEqual(await store.reads.sessionsByToken('native', 't'), [], 'the sessions of another token');
    },
  },
  {
    title: 'knows which of its transcripts a session goes on with',
    async play({ store }) {
      await insertSessions(store, 2);
      const at = { sessionId: sessionId(1), originTurnId: turnId(1) };
      await store.commit(async (tx) => {
        await tx.putTranscript(sampleTranscript('old'));
        await tx.putTranscript(sampleTranscript('new'));
        await tx.saveCheckpoint(at, { token: 'old' });
        await tx.saveCheckpoint(at, { token: 'new' });
      });
      const found = [
        await store.reads.transcriptOf(sessionId(1)),
        await store.reads.transcriptOf(sessionId(2)),
      ];
      assertEqual(found, [sampleTranscript('new'), undefined], 'the transcripts');
    },
  },
  {
    title: 'keeps where a session came from and what people should know of it',
    async play({ store, reopen }) {
      const session = sampleSession(1, { origin: 'outside' });
      await store.commit((tx) => tx.insertSession(session));
      const warnings = ['a line of 3 bytes at byte 7 is torn', 'half \ud83d'];
      await store.commit((tx) => tx.updateSession(sessionId(1), { warnings }));
      const { reads } = await reopen();
      assertEqual(await reads.session(sessionId(1)), { ...session, warnings, lastSeq: 0 }, 'the session');
    },
  },
  {
    title: 'deletes a session with all that hangs on it, and nothing else',
    async play({ store }) {
      await insertSessions(store, 2);
      await store.commit(async (tx) => {
        await tx.append([textDraft(2, 'gone'), textDraft(1, 'kept')]);
        await tx.insertTurn(sampleTurn(1, { sessionId: sessionId(2) }));
        await tx.saveCheckpoint(
          { sessionId: sessionId(2), originTurnId: turnId(1) },
          { token: 't', append: [1] },
        );
        await tx.putTranscript(sampleTranscript('t', { sessionId: sessionId(2) }));
      });
      const deleted = await store.commit(async (tx) => [
        await tx.deleteSession(sessionId(2)),
        await tx.deleteSession(sessionId(2)),
      ]);
      assertEqual(deleted, [true, false], 'what was deleted');
      const { reads } = store;
      const left = [
        await reads.session(sessionId(2)),
        await reads.turn(turnId(1)),
        await reads.resume(sessionId(2)),
        await reads.transcript('native', 't'),
      ];
      assertEqual(left, [undefined, undefined, undefined, undefined], 'what is left of it');
      // The next session may get the number that the deleted one had: nothing may be remembered of it.
      await store.commit((tx) => tx.insertSession(sampleSession(3)));
      const code = await rejectionCode(store.commit((tx) => tx.append([textDraft(2, 'too late')])));
      assertEqual(code, 'session_not_found', 'the refusal');
      await store.commit((tx) => tx.append([textDraft(3, 'new')]));
      assertEqual(await readTexts(store, 3), ['1: new'], 'the log of the next session');
      assertEqual(await readTexts(store, 1), ['1: kept'], 'the log of the other session');
    },
  },
];
