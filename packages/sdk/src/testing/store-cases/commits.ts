// Commits: order, isolation, failing neighbours, and when listeners hear.
import type { Event } from '../../protocol/event.ts';
import { assert, assertEqual } from '../support/assertions.ts';
import {
  insertSessions,
  readTexts,
  rejection,
  rejectionCode,
  type StoreCase,
  sampleSession,
  sessionId,
  textDraft,
} from '../support/store-samples.ts';

export const commitCases: StoreCase[] = [
  {
    title: 'runs writes in the order of the calls and gives each its own answer',
    async play({ store }) {
      await insertSessions(store, 1);
      const texts = Array.from({ length: 600 }, (_, index) => `text ${index}`);
      const answers = await Promise.all(
        texts.map((text) => store.commit(async (tx) => (await tx.append([textDraft(1, text)]))[0]?.seq)),
      );
      assertEqual(
        answers,
        texts.map((_, index) => index + 1),
        'the answers',
      );
      assertEqual(
        await readTexts(store, 1),
        texts.map((text, index) => `${index + 1}: ${text}`),
        'the log',
      );
    },
  },
  {
    title: 'fails only the write that fails, with its own error, and keeps nothing of it',
    async play({ store }) {
      await insertSessions(store, 1);
      const fault = new Error('mine');
      const settled = await Promise.allSettled(
        ['a', 'b', 'c', 'd', 'e'].map((text) =>
          store.commit(async (tx) => {
            await tx.append([textDraft(1, text)]);
            if (text === 'b' || text === 'd') throw fault;
          }),
        ),
      );
      const outcomes = settled.map((one) => (one.status === 'rejected' ? one.reason : 'kept'));
      assertEqual(outcomes, ['kept', fault, 'kept', fault, 'kept'], 'the outcomes');
      assertEqual(await readTexts(store, 1), ['1: a', '2: c', '3: e'], 'the log');
    },
  },
  {
    title: 'fails a write whose row was refused even when the write goes on',
    async play({ store }) {
      await insertSessions(store, 1);
      const [careless, neighbour] = await Promise.allSettled([
        store.commit(async (tx) => {
          await tx.append([textDraft(1, 'careless')]);
          await tx.insertSession(sampleSession(1)).catch(() => {});
          await tx.append([textDraft(1, 'careless')]).catch(() => {});
        }),
        store.commit((tx) => tx.append([textDraft(1, 'neighbour')])),
      ]);
      assertEqual([careless?.status, neighbour?.status], ['rejected', 'fulfilled'], 'the outcomes');
      assertEqual(await readTexts(store, 1), ['1: neighbour'], 'the log');
    },
  },
  {
    title: 'shows a write its own rows and readers only committed ones',
    async play({ store }) {
      await store.commit(async (tx) => {
        await tx.insertSession(sampleSession(1));
        await tx.append([textDraft(1, 'a')]);
        const seen = [await tx.session(sessionId(1)), await store.reads.session(sessionId(1))];
        assertEqual(seen, [{ ...sampleSession(1), lastSeq: 1 }, undefined], 'what is seen inside the write');
      });
      const after = await store.reads.session(sessionId(1));
      assertEqual(after, { ...sampleSession(1), lastSeq: 1 }, 'what is seen afterwards');
    },
  },
  {
    title:
      'tells listeners of events after they can be read and before the write resolves, each once, in order',
    async play({ store }) {
      await insertSessions(store, 2);
      const received: Event[] = [];
      const readable: Promise<number>[] = [];
      store.onCommitted((events) => {
        received.push(...events);
        readable.push(store.reads.lastSeq(sessionId(1)));
      });
      const commits = ['a', 'b', 'broken', 'c'].map((text) =>
        store.commit(async (tx) => {
          const events = await tx.append([textDraft(1, text), textDraft(2, text)]);
          if (text === 'broken') throw new Error('mine');
          return events;
        }),
      );
      const settled = await Promise.allSettled(
        commits.map(async (commit) => {
          const events = await commit;
          assert(
            events.every((event) => received.includes(event)),
            'a write resolved before listeners heard',
          );
          return events;
        }),
      );
      const kept = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      assertEqual(
        settled.map(({ status }) => status === 'fulfilled'),
        [true, true, false, true],
        'the outcomes',
      );
      assertEqual(received, kept, 'what listeners heard');
      assertEqual((await Promise.all(readable)).at(-1), 3, 'the last number when listeners heard it');
    },
  },
  {
    title:
      'P1: keeps every acknowledged write when it is closed with writes under way, and refuses later ones',
    async play({ store, reopen }) {
      await insertSessions(store, 1);
      const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`);
      const commits = texts.map((text) => store.commit((tx) => tx.append([textDraft(1, text)])));
      const closed = store.close();
      const late = await rejectionCode(store.commit((tx) => tx.append([textDraft(1, 'late')])));
      await Promise.all(commits);
      await closed;
      await store.close();
      assertEqual(late, 'shutting_down', 'the refusal of a late write');
      const again = await reopen();
      assertEqual(
        await readTexts(again, 1),
        texts.map((text, index) => `${index + 1}: ${text}`),
        'the log',
      );
    },
  },
  {
    title: 'refuses what a write tries after it has ended, inside a later write too',
    async play({ store }) {
      await insertSessions(store, 1);
      const leaked = await store.commit(async (tx) => ({ tx }));
      const use = async () => leaked.tx.append([textDraft(1, 'leaked')]);
      await rejection(use());
      await store.commit(async (tx) => {
        await rejection(use());
        await tx.append([textDraft(1, 'next')]);
      });
      assertEqual(await readTexts(store, 1), ['1: next'], 'the log');
    },
  },
];
