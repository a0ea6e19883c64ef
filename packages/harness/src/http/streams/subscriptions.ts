// What one socket reads: any number of logs, of which one page at a time is held, whichever is next. A log that has news
// stands in line for it.
import {
  type Event,
  isDeletion,
  type PlacedEvent,
  type Ref,
  type ServerFrame,
  toFailure,
} from '@toolyard/sdk';
import type { Logger } from '../../core/lib/ports.ts';
import type { Cursor } from '../../core/log/feed.ts';
import type { Log } from '../../core/log/log.ts';
import { toEventText } from './events.ts';
import type { SocketWriter } from './socket-writer.ts';

export interface Wanted {
  /** None: all sessions. */
  sessionId?: string | undefined;
  /** A number in the session's log, or a position in that of all. */
  after: number;
  /** Many events may go into one frame. */
  batch?: boolean | undefined;
  /** The client's name for its request, for what goes wrong later. */
  ref?: Ref | undefined;
}

export interface Subscriptions {
  /** Begins to send; what the same session was read by before ends. Sends the first event after this has returned. */
  open(wanted: Wanted): void;
  close(sessionId: string | undefined): void;
  has(sessionId: string | undefined): boolean;
  count(): number;
  /** Ends all of them, and tells the reader that it must subscribe again. */
  drop(): void;
  /** Resolves when everything there is was sent. */
  idle(): Promise<void>;
  closeAll(): void;
}

export interface SubscriptionDeps {
  log: Log;
  writer: SocketWriter;
  logger: Logger;
  send(frame: Exclude<ServerFrame, { type: 'event' | 'events' }>): void;
}

interface Subscription extends Wanted {
  isOpen: boolean;
  /** Sends the next page, and says whether there was one. */
  sendPage(): Promise<boolean>;
  close(): void;
}

const everything = '';
/** Characters of a frame with many events: enough that its own weight does not count. */
const batchLength = 64 * 1024;

export function createSubscriptions({ log, writer, logger, send }: SubscriptionDeps): Subscriptions {
  const open = new Map<string, Subscription>();
  /** Those that may have something to send, in the order in which they may. */
  const ready = new Set<Subscription>();
  let sending: Promise<void> | undefined;

  function announce(subscription: Subscription): void {
    ready.add(subscription);
    sending ??= sendAll().finally(() => {
      sending = undefined;
      if (ready.size > 0) announceNext();
    });
  }

  function announceNext(): void {
    const [next] = ready;
    if (next) announce(next);
  }

  async function sendAll(): Promise<void> {
    // Not at once: who opened it may have something to say first.
    await Promise.resolve();
    for (let [next] = ready; next; [next] = ready) {
      await writer.ready();
      ready.delete(next);
      if (next.isOpen && (await sendPage(next))) ready.add(next);
    }
  }

  async function sendPage(subscription: Subscription): Promise<boolean> {
    try {
      return await subscription.sendPage();
    } catch (thrown) {
      logger.error('a subscription failed', { cause: thrown });
      const { sessionId, ref, isOpen } = subscription;
      if (isOpen) send({ type: 'error', ref, error: toFailure(thrown) });
      if (open.get(sessionId ?? everything) === subscription) close(sessionId);
      return false;
    }
  }

  function close(sessionId: string | undefined): void {
    const subscription = open.get(sessionId ?? everything);
    if (!subscription) return;
    open.delete(sessionId ?? everything);
    ready.delete(subscription);
    subscription.isOpen = false;
    subscription.close();
  }

  /** The log is over. Who has seen its last event knows; who was behind is told. */
  function endOf({ sessionId = '', ref }: Subscription, isKnown: boolean): void {
    const error = { code: 'session_not_found' as const, message: `The session ${sessionId} was deleted.` };
    if (!isKnown) send({ type: 'error', ref, error });
    close(sessionId);
  }

  function add<T>(wanted: Wanted, { openCursor, toFrames, placeOf, isLast }: Source<T>): void {
    let isOver = false;
    const subscription: Subscription = {
      ...wanted,
      isOpen: true,
      close: () => cursor.close(),
      async sendPage() {
        const page = await cursor.next();
        for (const { text, last } of toFrames(page, wanted.batch === true)) {
          if (writer.isFull()) await writer.ready();
          if (!subscription.isOpen) return false;
          writer.send(text);
          subscription.after = placeOf(last);
          isOver = isLast(last);
        }
        if (page.length === 0 && cursor.isEnded) endOf(subscription, isOver);
        return page.length > 0;
      },
    };
    const cursor = openCursor(wanted.after, () => announce(subscription));
    open.set(wanted.sessionId ?? everything, subscription);
    announce(subscription);
  }

  return {
    open(wanted) {
      const { sessionId } = wanted;
      close(sessionId);
      if (sessionId === undefined) add(wanted, ofAll(log));
      else add(wanted, ofSession(log, sessionId));
    },
    close,
    has: (sessionId) => open.has(sessionId ?? everything),
    count: () => open.size,
    drop() {
      for (const { sessionId, after } of [...open.values()]) {
        close(sessionId);
        send({ type: 'resync', ...(sessionId !== undefined && { sessionId }), after });
      }
    },
    async idle() {
      while (sending) await sending;
    },
    closeAll() {
      for (const { sessionId } of [...open.values()]) close(sessionId);
    },
  };
}

/** What goes out at once, and the last event in it. */
interface Frame<T> {
  text: string;
  last: T;
}

/** A log, and how its events go out. */
interface Source<T> {
  openCursor(after: number, onNews: () => void): Cursor<T>;
  toFrames(page: readonly T[], batch: boolean): Iterable<Frame<T>>;
  placeOf(item: T): number;
  /** Does nothing come after it? */
  isLast(item: T): boolean;
}

function ofSession(log: Log, sessionId: string): Source<Event> {
  return {
    openCursor: (after, onNews) => log.open(sessionId, after, onNews),
    toFrames: (page, batch) => (batch && page.length > 1 ? toBatches(page) : page.map(toFrame)),
    placeOf: ({ seq }) => seq,
    isLast: isDeletion,
  };
}

function ofAll(log: Log): Source<PlacedEvent> {
  return {
    openCursor: log.openAll,
    toFrames: (page) => page.map(toPlacedFrame),
    placeOf: ({ position }) => position,
    isLast: () => false,
  };
}

function toFrame(event: Event): Frame<Event> {
  return { text: `{"type":"event","event":${toEventText(event)}}`, last: event };
}

function toPlacedFrame(placed: PlacedEvent): Frame<PlacedEvent> {
  const { position, event } = placed;
  return { text: `{"type":"event","event":${toEventText(event)},"position":${position}}`, last: placed };
}

function* toBatches(page: readonly Event[]): Generator<Frame<Event>> {
  let texts: string[] = [];
  let length = 0;
  for (const [index, event] of page.entries()) {
    const text = toEventText(event);
    texts.push(text);
    length += text.length;
    if (length < batchLength && index < page.length - 1) continue;
    yield { text: `{"type":"events","events":[${texts.join(',')}]}`, last: event };
    texts = [];
    length = 0;
  }
}
