// Full-text search: what is indexed is found, by its words alone, and goes with its session.
import { toPhrases } from '../../lib/search-terms.ts';
import type { LogDraft, Store } from '../../store/store.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  insertSessions,
  type StoreCase,
  sampleTime,
  sessionId,
  textDraft,
  turnId,
} from '../support/store-samples.ts';

/** Says a text in a session and makes it findable. */
async function addText(store: Store, session: number, text: string): Promise<void> {
  await store.commit(async (tx) => {
    const [event] = await tx.append([textDraft(session, text)]);
    await tx.index([{ sessionId: sessionId(session), seq: event?.seq ?? 0, text }]);
  });
}

/** `session:seq` of each hit. */
async function find(store: Store, query: string, limit = 100, after?: number): Promise<string[]> {
  const found = await store.reads.search({ phrases: toPhrases(query), limit, after });
  return found.map((hit) => `${Number(hit.sessionId.slice(4))}:${hit.seq}`);
}

export const searchCases: StoreCase[] = [
  {
    title: 'finds texts that hold all words, the newest first, across sessions',
    async play({ store, reopen }) {
      await insertSessions(store, 2);
      await addText(store, 1, 'The quick brown fox');
      await addText(store, 2, 'a quick answer');
      await addText(store, 1, 'brown bears are quick');
      const again = await reopen();
      assertEqual(await find(again, 'quick'), ['1:2', '2:1', '1:1'], 'one word');
      assertEqual(await find(again, 'brown QUICK'), ['1:2', '1:1'], 'two words in any order and case');
      assertEqual(await find(again, 'quick-brown'), ['1:1'], 'words that belong together');
      assertEqual(await find(again, 'answ'), ['2:1'], 'the beginning of the last word');
      assertEqual(await find(again, 'quic fox'), [], 'the beginning of another word');
      assertEqual(await find(again, 'absent'), [], 'a word that nobody said');
    },
  },
  {
    title: 'takes a query for words and nothing else',
    async play({ store }) {
      await insertSessions(store, 1);
      await addText(store, 1, 'cats AND dogs near the NEAR(river), "quoted" a*b');
      for (const query of [
        'cats and dogs',
        'NEAR',
        '"quoted"',
        '-cats',
        'cats^',
        'a*',
        'col:cats'.slice(4),
      ]) {
        assertEqual(await find(store, query), ['1:1'], `what ${query} finds`);
      }
      for (const query of ['cats OR birds', 'NEAR(birds', 'x AND', '{cats} : y', 'zebra*']) {
        assertEqual(await find(store, query), [], `what ${query} finds`);
      }
    },
  },
  {
    title: 'finds scripts without spaces, accents and emoji',
    async play({ store }) {
      await insertSessions(store, 1);
      await addText(store, 1, 'Das Café öffnet früh. 東京都に住んでいます。 👩‍💻 🤖 сервер Ёж');
      for (const query of ['cafe', 'OFFNET', 'früh', '京都', '住んで', '🤖', '👩‍💻', '💻', 'СЕРВЕР', 'еж']) {
        assertEqual(await find(store, query), ['1:1'], `what ${query} finds`);
      }
      assertEqual(await find(store, '京住'), [], 'characters that do not stand side by side');
    },
  },
  {
    title: 'gives pages, titles first, each hit once',
    async play({ store }) {
      await insertSessions(store, 3);
      for (const session of [1, 2, 3, 1]) await addText(store, session, 'needle');
      await store.commit((tx) =>
        tx.index([1, 3].map((number) => ({ sessionId: sessionId(number), seq: 0, text: 'The needle' }))),
      );
      const all = ['3:0', '1:0', '1:2', '3:1', '2:1', '1:1'];
      assertEqual(await find(store, 'needle'), all, 'all of them');
      const seen: string[] = [];
      for (let after: number | undefined; ; ) {
        const page = await store.reads.search({ phrases: [['needle']], limit: 4, after });
        seen.push(...page.map((hit) => `${Number(hit.sessionId.slice(4))}:${hit.seq}`));
        after = page.at(-1)?.place;
        if (page.length < 4) break;
      }
      assertEqual(seen, all, 'the pages');
    },
  },
  {
    title: 'replaces what was indexed, passes over what is gone, and forgets with the session',
    async play({ store, reopen }) {
      await insertSessions(store, 2);
      const title = (text: string) => [{ sessionId: sessionId(1), seq: 0, text }];
      await store.commit((tx) => tx.index(title('before')));
      await store.commit((tx) => tx.index(title('after')));
      assertEqual([await find(store, 'before'), await find(store, 'after')], [[], ['1:0']], 'the title');
      await store.commit((tx) => tx.index([{ sessionId: sessionId(1), seq: 99, text: 'nowhere' }]));
      await store.commit((tx) => tx.index([{ sessionId: sessionId(9), seq: 0, text: 'nowhere' }]));
      assertEqual(await find(store, 'nowhere'), [], 'what is not there');
      await addText(store, 2, 'after all');
      await store.commit((tx) => tx.deleteSession(sessionId(1)));
      assertEqual(await find(store, 'after'), ['2:1'], 'what is left');
      await store.commit((tx) => tx.deleteSession(sessionId(2)));
      assertEqual(await find(await reopen(), 'after'), [], 'what is left in the end');
    },
  },
  {
    title: 'remembers how far it has come, and where messages and ends of turns stand',
    async play({ store, reopen }) {
      assertEqual(await store.reads.indexed(), { position: 0, titles: true }, 'the beginning');
      await insertSessions(store, 2);
      const end = { turnId: turnId(1), outcome: 'completed', costUsd: 0 } as const;
      const draft = (session: number, rest: object) =>
        ({ sessionId: sessionId(session), at: sampleTime, ...rest }) as LogDraft;
      await store.commit((tx) =>
        tx.append([
          draft(1, { type: 'user_message', data: { content: 'hi', turnId: turnId(1) } }),
          textDraft(1, 'a'),
          draft(2, { type: 'user_message', data: { content: 'ho', turnId: turnId(2) } }),
          draft(1, { type: 'turn_end', data: end }),
        ]),
      );
      const positions = async (after: number, through: number, maxBytes = 10_000) =>
        (await store.reads.edges(after, through, maxBytes)).map(({ position }) => position);
      assertEqual(await positions(0, 99), [1, 3, 4], 'all of them');
      assertEqual(await positions(1, 3), [3], 'some of them');
      assertEqual([await positions(0, 99, 1), await positions(1, 99, 1)], [[1], [3]], 'one at least');
      await store.commit((tx) => tx.setIndexed({ position: 4, titles: false }));
      assertEqual(
        await (await reopen()).reads.indexed(),
        { position: 4, titles: false },
        'what is remembered',
      );
    },
  },
];
