// The log of all sessions: one order, positions that are never given twice.
import type { PlacedEvent } from '../../protocol/event.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  insertSessions,
  rejectionCode,
  type StoreCase,
  sessionId,
  textDraft,
} from '../support/store-samples.ts';

/** `position session: text` */
function toLines(placed: readonly PlacedEvent[]): string[] {
  return placed.map(({ position, event }) => {
    const text = event.type === 'text_delta' ? event.data.text : event.type;
    return `${position} ${event.sessionId.at(-1)}: ${text}`;
  });
}

export const positionCases: StoreCase[] = [
  {
    title: 'P2: gives the events of all sessions one order, and tells it with the news',
    async play({ store, reopen }) {
      await insertSessions(store, 3);
      const received: PlacedEvent[] = [];
      store.onCommitted((events, first) => {
        for (const [index, event] of events.entries()) received.push({ position: first + index, event });
      });
      await Promise.all(
        [1, 2, 3, 1].map((session, index) =>
          store.commit((tx) => tx.append([textDraft(session, `a${index}`), textDraft(2, `b${index}`)])),
        ),
      );
      await rejectionCode(store.commit((tx) => tx.append([textDraft(1, 'lost'), textDraft(9, 'nobody')])));
      await store.commit((tx) => tx.append([textDraft(3, 'last')]));
      const texts = ['1: a0', '2: b0', '2: a1', '2: b1', '3: a2', '2: b2', '1: a3', '2: b3', '3: last'];
      const expected = texts.map((text, index) => `${index + 1} ${text}`);
      assertEqual(toLines(received), expected, 'the news');
      const { reads } = await reopen();
      assertEqual(await reads.allEvents(0, 100), received, 'the log of all sessions');
      assertEqual(toLines(await reads.allEvents(3, 2)), expected.slice(3, 5), 'a page of it');
      assertEqual(await reads.allEvents(9, 100), [], 'the page past the end');
      assertEqual(await reads.lastPosition(), 9, 'the last position');
    },
  },
  {
    title: 'P2: never gives a position again, whatever is deleted',
    async play({ store, reopen }) {
      assertEqual(await store.reads.lastPosition(), 0, 'the last position of an empty log');
      await insertSessions(store, 2);
      const draft = [textDraft(1, 'a'), textDraft(2, 'b'), textDraft(1, 'c'), textDraft(2, 'd')];
      await store.commit((tx) => tx.append(draft));
      await store.commit((tx) => tx.deleteSession(sessionId(2)));
      assertEqual(await store.reads.lastPosition(), 4, 'the last position after the newest event is gone');
      const again = await reopen();
      assertEqual(toLines(await again.reads.allEvents(0, 9)), ['1 1: a', '3 1: c'], 'what is left');
      await again.commit((tx) => tx.append([textDraft(1, 'e')]));
      assertEqual(toLines(await again.reads.allEvents(4, 9)), ['5 1: e'], 'what came after');
      await again.commit((tx) => tx.deleteSession(sessionId(1)));
      assertEqual(await again.reads.lastPosition(), 5, 'the last position of a log with nothing left');
    },
  },
];
