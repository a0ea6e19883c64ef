// Readers of the log, of one session's or of all: each pulls from where it stands. See feed.ts for what that costs.
import { type Event, isDeletion, type PlacedEvent, type Store } from '@toolyard/sdk';
import { type Cursor, createFeed, type Feed, follow } from './feed.ts';

/** Characters are counted as bytes, which they nearly are. */
const sessionTail = { tailLength: 64, tailSize: 1_048_576 };
const allTail = { tailLength: 128, tailSize: 2_097_152 };

/** `isGone`: was this session deleted? */
export function createReaders(store: Store, isGone: (sessionId: string) => boolean = () => false) {
  /** Of the sessions that are being read. */
  const feeds = new Map<string, Feed<Event>>();
  /** Of all sessions, while somebody reads them. */
  let all: Feed<PlacedEvent> | undefined;

  store.onCommitted((events, first) => {
    all?.push(events.map((event, index) => ({ position: first + index, event })));
    if (feeds.size === 0) return;
    for (const [sessionId, own] of Map.groupBy(events, (event) => event.sessionId)) {
      feeds.get(sessionId)?.push(own);
    }
  });

  function createSessionFeed(sessionId: string): Feed<Event> {
    const feed = createFeed<Event>({
      placeOf: ({ seq }) => seq,
      sizeOf: toEventSize,
      ...sessionTail,
      readPage: (after, limit) => store.reads.events(sessionId, after, limit),
      onLeft: () => void feeds.delete(sessionId),
    });
    feeds.set(sessionId, feed);
    if (isGone(sessionId)) feed.end();
    return feed;
  }

  function createAllFeed(): Feed<PlacedEvent> {
    return createFeed<PlacedEvent>({
      placeOf: ({ position }) => position,
      sizeOf: ({ event }) => toEventSize(event),
      ...allTail,
      readPage: (after, limit) => store.reads.allEvents(after, limit),
      onLeft() {
        all = undefined;
      },
    });
  }

  function open(sessionId: string, after: number, onNews: () => void): Cursor<Event> {
    return (feeds.get(sessionId) ?? createSessionFeed(sessionId)).open(after, onNews);
  }

  function openAll(after: number, onNews: () => void): Cursor<PlacedEvent> {
    all ??= createAllFeed();
    return all.open(after, onNews);
  }

  return {
    open,
    openAll,
    /** A session is deleted: its log is over. Who reads all of them hears of that, and no more of what was in it. */
    end(sessionId: string): void {
      feeds.get(sessionId)?.end();
      all?.forget(({ event }) => event.sessionId === sessionId && !isDeletion(event));
    },
    read: (sessionId: string, after: number, signal: AbortSignal) =>
      follow((onNews) => open(sessionId, after, onNews), signal),
    readAll: (after: number, signal: AbortSignal) => follow((onNews) => openAll(after, onNews), signal),
  };
}

/** Of an event without any words. */
const least = 200;

const sizes = new WeakMap<Event, number>();

/** About how much memory an event takes: the characters in it. Measured once for each. */
export function toEventSize(event: Event): number {
  if (event.type === 'text_delta' || event.type === 'thinking_delta') return least + event.data.text.length;
  const known = sizes.get(event);
  if (known !== undefined) return known;
  const size = least + measure(event.data);
  sizes.set(event, size);
  return size;
}

/** Data is JSON, so it is a tree. */
function measure(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 0;
  for (const [key, each] of Object.entries(value)) sum += key.length + measure(each);
  return sum;
}
