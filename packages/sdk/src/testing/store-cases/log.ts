// The log: numbers without gaps, whatever arrives together, and texts that come back as they went in.
import { assertEqual } from '../support/assertions.ts';
import {
  insertSessions,
  readTexts,
  rejectionCode,
  type StoreCase,
  sampleTime,
  sessionId,
  textDraft,
} from '../support/store-samples.ts';

const strangeTexts = [
  'half a pair \ud83d',
  '\udc00 first',
  'a NUL \0 inside',
  '"quoted"',
  '😀 é \u202e',
  ' ',
];

export const logCases: StoreCase[] = [
  {
    title: 'P2: numbers each session from 1 without gaps when sessions are mixed',
    async play({ store }) {
      await insertSessions(store, 3);
      const mixed = [1, 2, 1, 3, 2, 1].map((session, index) => textDraft(session, `text ${index}`));
      const events = await store.commit((tx) => tx.append(mixed));
      const numbers = [1, 1, 2, 1, 2, 3];
      assertEqual(
        events,
        mixed.map((draft, index) => ({ ...draft, seq: numbers[index] })),
        'what append gave',
      );
      assertEqual(await readTexts(store, 1), ['1: text 0', '2: text 2', '3: text 5'], 'session 1');
      assertEqual(await readTexts(store, 3), ['1: text 3'], 'session 3');
      assertEqual(await store.commit((tx) => tx.append([])), [], 'an empty append');
    },
  },
  {
    title:
      'P2: numbers appends of one write in the order of the calls even when they are not awaited in turn',
    async play({ store }) {
      await insertSessions(store, 1);
      await store.commit((tx) =>
        Promise.all(['a', 'b', 'c'].map((text) => tx.append([textDraft(1, text), textDraft(1, text)]))),
      );
      const expected = ['1: a', '2: a', '3: b', '4: b', '5: c', '6: c'];
      assertEqual(await readTexts(store, 1), expected, 'the log');
    },
  },
  {
    title: 'gives a page that fits its bytes, and one event at least',
    async play({ store }) {
      await insertSessions(store, 2);
      const sizes = [10, 10, 5_000, 10, 10];
      await store.commit((tx) => tx.append(sizes.map((size) => textDraft(1, 'é'.repeat(size)))));
      const page = async (after: number, limit: number, maxBytes: number) =>
        (await store.reads.events(sessionId(1), after, limit, maxBytes)).map(({ seq }) => seq);
      const pages = [await page(0, 9, 6_000), await page(2, 9, 6_000), await page(3, 9, 6_000)];
      assertEqual(pages, [[1, 2], [3], [4, 5]], 'the pages');
      assertEqual([await page(0, 1, 6_000), await page(5, 9, 6_000)], [[1], []], 'a short and an empty one');
      assertEqual(await store.reads.events(sessionId(2), 0, 9, 1), [], 'an empty log');
    },
  },
  {
    title: 'P2: refuses an unknown session and leaves no hole behind the refusal',
    async play({ store }) {
      await insertSessions(store, 1);
      const toNobody = [textDraft(1, 'lost'), textDraft(9, 'to nobody')];
      const code = await rejectionCode(store.commit((tx) => tx.append(toNobody)));
      assertEqual(code, 'session_not_found', 'the refusal');
      await store.commit(async (tx) => {
        await tx.append(toNobody).catch(() => {});
        await tx.append([textDraft(1, 'kept')]);
      });
      assertEqual(await readTexts(store, 1), ['1: kept'], 'the log');
    },
  },
  {
    title: 'P1 and P2: a reopened store has every event and counts on from the last',
    async play({ store, reopen }) {
      await insertSessions(store, 1);
      await store.commit((tx) => tx.append([textDraft(1, 'a'), textDraft(1, 'b')]));
      const again = await reopen();
      await again.commit((tx) => tx.append([textDraft(1, 'c')]));
      assertEqual(await readTexts(again, 1), ['1: a', '2: b', '3: c'], 'the log');
      assertEqual(await again.reads.lastSeq(sessionId(1)), 3, 'the last number');
    },
  },
  {
    title: 'reads a page at a time, past a number',
    async play({ store }) {
      await insertSessions(store, 1);
      const texts = Array.from({ length: 2_500 }, (_, index) => `${index + 1}`);
      await store.commit((tx) => tx.append(texts.map((text) => textDraft(1, text))));
      const page = await store.reads.events(sessionId(1), 2_000, 3);
      assertEqual(
        page.map(({ seq }) => seq),
        [2_001, 2_002, 2_003],
        'a page',
      );
      assertEqual(await store.reads.events(sessionId(1), 2_500, 10), [], 'the page past the end');
      assertEqual(await store.reads.events(sessionId(9), 0, 10), [], 'the log of nobody');
      assertEqual(await store.reads.lastSeq(sessionId(9)), 0, 'the last number of nobody');
    },
  },
  {
    title: 'gives every event back as it was appended, strange and large texts included',
    async play({ store, reopen }) {
      await insertSessions(store, 1);
      const at = { sessionId: sessionId(1), at: sampleTime };
      const input = { nested: [1, 2.5, null, true, { text: strangeTexts }], ['__proto__']: { admin: true } };
      const drafts = [
        ...strangeTexts.map((text) => textDraft(1, text)),
        textDraft(1, 'long '.repeat(200_000)),
        { ...at, type: 'tool_call_end' as const, data: { toolCallId: '\ud800', input } },
        { ...at, type: 'usage' as const, data: { inputTokens: 1, outputTokens: 2, costUsd: null } },
      ];
      const appended = await store.commit((tx) => tx.append(drafts));
      const again = await reopen();
      assertEqual(await again.reads.events(sessionId(1), 0, 100), appended, 'the log');
    },
  },
];
