// Readers of the log: each pulls from where it stands. A short tail in memory serves those who keep up; whoever
// falls behind reads from the store, so a slow reader costs nothing but its own time.
import type { Event, Store } from '@toolyard/sdk';

// Small, because each reader that stalls holds one page, and an event may be large.
const tailLength = 64;
const pageLength = 32;

interface Watch {
  readers: number;
  /** The newest events, contiguous, without a hole before what comes next. */
  tail: Event[];
  version: number;
  sleepers: Set<() => void>;
}

export function createReaders(store: Store) {
  const watches = new Map<string, Watch>();

  store.onCommitted((events) => {
    for (const event of events) {
      const watch = watches.get(event.sessionId);
      if (!watch) continue;
      watch.tail.push(event);
      if (watch.tail.length > 2 * tailLength) watch.tail = watch.tail.slice(-tailLength);
      watch.version++;
      for (const wake of watch.sleepers) wake();
      watch.sleepers.clear();
    }
  });

  /** A page that reaches to the end of the log begins the tail, unless news has begun it meanwhile. */
  async function fromStore(watch: Watch, sessionId: string, after: number): Promise<Event[]> {
    const page = await store.reads.events(sessionId, after, pageLength);
    if (watch.tail.length === 0 && page.length < pageLength) watch.tail = [...page];
    return page;
  }

  async function* read(
    sessionId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Event[]> {
    const watch = enter(watches, sessionId);
    try {
      for (;;) {
        const { version } = watch;
        const page = fromTail(watch.tail, after) ?? (await fromStore(watch, sessionId, after));
        if (page.length > 0) {
          yield page;
          after = page.at(-1)?.seq ?? after;
        } else if (signal.aborted) return;
        else if (version === watch.version) await sleep(watch, signal);
      }
    } finally {
      if (--watch.readers === 0) watches.delete(sessionId);
    }
  }

  return { read };
}

function enter(watches: Map<string, Watch>, sessionId: string): Watch {
  const watch = watches.get(sessionId) ?? { readers: 0, tail: [], version: 0, sleepers: new Set() };
  watches.set(sessionId, watch);
  watch.readers++;
  return watch;
}

/** What the tail holds past `after`, or nothing when it does not reach back that far. */
function fromTail(tail: readonly Event[], after: number): Event[] | undefined {
  const first = tail[0];
  if (!first || first.seq > after + 1) return undefined;
  return tail.slice(after + 1 - first.seq, after + 1 - first.seq + pageLength);
}

function sleep(watch: Watch, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      signal.removeEventListener('abort', wake);
      watch.sleepers.delete(wake);
      resolve();
    };
    watch.sleepers.add(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}
