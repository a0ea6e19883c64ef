// Checkpoints: small state is replaced, the transcript only grows, and both survive.
import { assertEqual } from '../support/assertions.ts';
import { insertSessions, type StoreCase, sessionId, turnId } from '../support/store-samples.ts';

export const checkpointCases: StoreCase[] = [
  {
    title: 'has nothing to resume before the first checkpoint',
    async play({ store }) {
      await insertSessions(store, 1);
      assertEqual(await store.reads.resume(sessionId(1)), undefined, 'what there is to resume');
      assertEqual(await store.reads.checkpoint(sessionId(1)), undefined, 'the state to resume from');
      assertEqual(await store.reads.hasEntries(turnId(1)), false, 'whether there are entries');
    },
  },
  {
    title: 'replaces token and state, keeps what a step does not mention, and appends entries in order',
    async play({ store, reopen }) {
      await insertSessions(store, 2);
      const at = { sessionId: sessionId(1), originTurnId: turnId(1) };
      const entries = Array.from({ length: 30 }, (_, index) => ({ index, text: 'half \ud83d' }));
      const other = { ...at, sessionId: sessionId(2) };
      await store.commit(async (tx) => {
        await tx.saveCheckpoint(at, { token: '"t1', state: { step: 1 }, append: entries });
        await tx.saveCheckpoint(other, { append: ['other'] });
        await tx.saveCheckpoint(at, { state: null });
      });
      await store.commit((tx) => tx.saveCheckpoint(at, { append: [null, 'last'] }));
      const { reads } = await reopen();
      const resume = await reads.resume(sessionId(1));
      assertEqual(resume, { token: '"t1', state: null, entries: [...entries, null, 'last'] }, 'the resume');
      assertEqual(await reads.resume(sessionId(2)), { entries: ['other'] }, 'the other resume');
      const states = await Promise.all([1, 2].map((number) => reads.checkpoint(sessionId(number))));
      assertEqual(states, [{ token: '"t1', state: null }, undefined], 'the states alone');
    },
  },
  {
    title: 'knows which messages have stored entries',
    async play({ store }) {
      await insertSessions(store, 1);
      await store.commit(async (tx) => {
        await tx.saveCheckpoint({ sessionId: sessionId(1), originTurnId: turnId(1) }, { append: [1] });
        await tx.saveCheckpoint({ sessionId: sessionId(1), originTurnId: turnId(2) }, { state: 1 });
      });
      const found = await Promise.all([1, 2, 3].map((number) => store.reads.hasEntries(turnId(number))));
      assertEqual(found, [true, false, false], 'the messages with entries');
    },
  },
];
