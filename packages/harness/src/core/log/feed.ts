// The log as its readers see it, of one session or of all: a short tail in memory for those who keep up, the store for
// those who do not. A reader pulls, so a slow one costs nothing but its own time. Knows no HTTP.
import { type Event, isDeletion, type PlacedEvent, type Store } from '@toolyard/sdk';

// Small, because each reader that stalls holds one page.
const pageLength = 32;
/** Of a page. An event may be larger, and then is a page of its own. */
const pageSize = 1_048_576;

export interface FeedOptions<T> {
  placeOf(item: T): number;
  /** About how much memory an item takes. */
  sizeOf(item: T): number;
  /** How many of the newest items are kept at least, unless they are larger than `tailSize` together. */
  tailLength: number;
  tailSize: number;
  /** At most `limit` items past a place, in order; fewer only at the end of the log. */
  readPage(after: number, limit: number): Promise<T[]>;
  /** The last reader has left. From here on nothing is pushed, so nobody may open this feed again. */
  onUnused(): void;
}

/** A reader's place in a log. */
export interface Cursor<T> {
  /** What comes next, a page at most; nothing at the end of the log. One call at a time. */
  next(): Promise<readonly T[]>;
  /** The last place that was read. */
  readonly after: number;
  /** Nothing will ever be added: where there is nothing more, the log is over. */
  readonly isEnded: boolean;
  close(): void;
}

export interface Feed<T> {
  /** Adds what was just written, in order and without a hole. */
  push(items: readonly T[]): void;
  /** Reads on past `after`. `onNews` is called whenever there is more than there was; it must not throw. */
  open(after: number, onNews: () => void): Cursor<T>;
  /** Keeps no longer what was deleted. */
  forget(isDeleted: (item: T) => boolean): void;
  /** Nothing will ever be added. */
  end(): void;
}

export function createFeed<T>(options: FeedOptions<T>): Feed<T> {
  const { placeOf, sizeOf, tailLength, tailSize, readPage, onUnused } = options;
  const listeners = new Set<() => void>();
  /** The newest items, contiguous, without a hole before what comes next. */
  let tail: T[] = [];
  let size = 0;
  let isEnded = false;

  /** What the tail holds past `after`, or nothing when it does not reach back that far. */
  function fromTail(after: number, length: number): T[] | undefined {
    const [first] = tail;
    if (first === undefined || placeOf(first) > after + 1) return undefined;
    const start = tail.findLastIndex((item) => placeOf(item) <= after) + 1;
    return tail.slice(start, start + length);
  }

  /** A page that reaches to the end of the log begins the tail, unless news has begun it meanwhile. */
  async function fromStore(after: number, length: number): Promise<T[]> {
    const page = await readPage(after, length);
    if (tail.length === 0 && page.length < length) add(page);
    return page;
  }

  function add(items: readonly T[]): void {
    // Not one by one as arguments: a copied log may be longer than a call can hold.
    tail = tail.concat(items);
    size = items.reduce((sum, item) => sum + sizeOf(item), size);
    if (tail.length <= 2 * tailLength && size <= 2 * tailSize) return;
    tail = takeLast(tail.slice(-tailLength), tailSize, sizeOf);
    size = tail.reduce((sum, item) => sum + sizeOf(item), 0);
  }

  return {
    push(items) {
      add(items);
      for (const listener of listeners) listener();
    },
    open(after, onNews) {
      // A listener of its own, so that one function may hear for several cursors.
      const listener = () => onNews();
      listeners.add(listener);
      let place = after;
      // Where events are large, fewer are read at once.
      let length = pageLength;
      return {
        async next() {
          const found = fromTail(place, length) ?? (await fromStore(place, length));
          const page = takeFirst(found, pageSize, sizeOf);
          length = page.length < found.length ? page.length : Math.min(length * 2, pageLength);
          const last = page.at(-1);
          if (last !== undefined) place = placeOf(last);
          return page;
        },
        get after() {
          return place;
        },
        get isEnded() {
          return isEnded;
        },
        close() {
          if (listeners.delete(listener) && listeners.size === 0) onUnused();
        },
      };
    },
    forget(isDeleted) {
      tail = tail.filter((item) => !isDeleted(item));
    },
    end() {
      isEnded = true;
      for (const listener of listeners) listener();
    },
  };
}

/** As many as fit, and one at least. */
function takeFirst<T>(items: readonly T[], max: number, sizeOf: (item: T) => number): readonly T[] {
  let sum = 0;
  const end = items.findIndex((item) => {
    sum += sizeOf(item);
    return sum > max;
  });
  return end < 0 ? items : items.slice(0, Math.max(end, 1));
}

/** As many as fit, and none when the last one does not. */
function takeLast<T>(items: readonly T[], max: number, sizeOf: (item: T) => number): T[] {
  let sum = 0;
  const before = items.findLastIndex((item) => {
    sum += sizeOf(item);
    return sum > max;
  });
  return items.slice(before + 1);
}

/** Reads a log to its end, then what comes. When it is over, or `signal` aborts, it ends at the last item there is. */
export async function* follow<T>(
  open: (onNews: () => void) => Cursor<T>,
  signal: AbortSignal,
): AsyncGenerator<readonly T[]> {
  let isNews = false;
  let wake = () => {};
  const cursor = open(() => {
    isNews = true;
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      isNews = false;
      const page = await cursor.next();
      if (page.length > 0) yield page;
      else if (signal.aborted || (cursor.isEnded && !isNews)) return;
      else if (!isNews) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    cursor.close();
  }
}

/** Characters are counted as bytes, which they nearly are. */
const sessionTail = { tailLength: 64, tailSize: 1_048_576 };
const allTail = { tailLength: 128, tailSize: 2_097_152 };

/** Readers of one session's log and of all. `isDeleted`: was this session deleted? */
export function createReaders(store: Store, isDeleted: (sessionId: string) => boolean = () => false) {
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
      onUnused: () => void feeds.delete(sessionId),
    });
    feeds.set(sessionId, feed);
    if (isDeleted(sessionId)) feed.end();
    return feed;
  }

  function createAllFeed(): Feed<PlacedEvent> {
    return createFeed<PlacedEvent>({
      placeOf: ({ position }) => position,
      sizeOf: ({ event }) => toEventSize(event),
      ...allTail,
      readPage: (after, limit) => store.reads.allEvents(after, limit),
      onUnused() {
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
const minSize = 200;

const sizes = new WeakMap<Event, number>();

/** About how much memory an event takes: the characters in it. Measured once for each. */
export function toEventSize(event: Event): number {
  if (event.type === 'text_delta' || event.type === 'thinking_delta') return minSize + event.data.text.length;
  const known = sizes.get(event);
  if (known !== undefined) return known;
  const size = minSize + measure(event.data);
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
