// The log as Server-Sent Events. The stream is pulled: a reader that stalls holds nothing but its place, and in the end
// not even that.
import {
  createTurnFilter,
  type Event,
  type PlacedEvent,
  ToolyardError,
  toFailure,
  toSse,
} from '@toolyard/sdk';
import type { Logger } from '../../core/lib/ports.ts';
import { type ReaderLimits, wasDismissed } from '../server/readers.ts';

const keepAliveMs = 15_000;

/** What a cursor may name. */
export interface Cursors {
  /** `event` of a session or `position` in the log of all. */
  what: 'event' | 'position';
  last: number;
}

/** Where a reader wants to go on: `Last-Event-ID`, else `?after=`; nothing when it says neither. */
export function parseCursor(
  lastEventId: string | null,
  after: string | undefined,
  cursors: Cursors,
): number | undefined {
  const text = lastEventId || after;
  if (!text) return undefined;
  const cursor = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (cursor !== undefined) return requireCursor(cursor, cursors);
  throw invalidCursor(text, cursors);
}

export function requireCursor(cursor: number, cursors: Cursors): number {
  if (cursor <= cursors.last) return cursor;
  throw invalidCursor(String(cursor), cursors);
}

function invalidCursor(text: string, { what, last }: Cursors): ToolyardError {
  const shown = JSON.stringify(text.slice(0, 20));
  if (what === 'position') {
    const hint = `Use the id of an event of this stream, at most ${last}, or omit the cursor to read new events.`;
    return new ToolyardError('invalid_cursor', `There is no position ${shown}. ${hint}`, {
      data: { lastPosition: last },
    });
  }
  const hint = `Use the number of an event, at most ${last}, or omit the cursor to read from the start.`;
  return new ToolyardError('invalid_cursor', `This session has no event ${shown}. ${hint}`, {
    data: { lastSeq: last },
  });
}

export interface EventStream<T> {
  batches: AsyncGenerator<readonly T[]>;
  toMessage(item: T): string;
  /** Where the reader stands before the first event. */
  begin?: number;
  /** What a reader that is dropped hears of what it read. */
  about: { sessionId?: string };
  /** Aborted when the reader leaves; ends the stream when somebody else aborts it. */
  stop: AbortController;
  logger: Logger;
  limits: Pick<ReaderLimits, 'stallMs' | 'lingerMs'>;
  /** Cuts the line below, whatever is still on its way. */
  disconnect(): void;
}

/** Streams batches of events until they end, the reader leaves, or it has read nothing for too long. */
export function toEventStream<T>(stream: EventStream<T>): Response {
  const { batches, begin, stop, limits } = stream;
  const encoder = new TextEncoder();
  const nextText = createTexts(stream);
  // Without it the log would keep a place for a reader that nobody reads for.
  const onAbort = () => void batches.return(undefined);
  /** Runs while there is something to read that nobody reads. */
  let stallTimer: NodeJS.Timeout | undefined;

  function send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    controller.enqueue(encoder.encode(text));
    stallTimer = setTimeout(() => drop(controller), limits.stallMs).unref();
  }

  function drop(controller: ReadableStreamDefaultController<Uint8Array>): void {
    controller.enqueue(encoder.encode(toSse({ event: 'resync', data: JSON.stringify(stream.about) })));
    controller.close();
    stop.abort('dropped');
    onAbort();
    setTimeout(stream.disconnect, limits.lingerMs).unref();
  }

  const body = new ReadableStream<Uint8Array>({
    start: (controller) =>
      send(controller, begin === undefined ? 'retry: 1000\n\n' : `retry: 1000\nid: ${begin}\n\n`),
    async pull(controller) {
      clearTimeout(stallTimer);
      const text = await nextText();
      const isDismissed = wasDismissed(stop.signal);
      if (text !== undefined && !isDismissed) return send(controller, text);
      controller.close();
      if (isDismissed) onAbort();
      // With a reason, because making up the usual one costs more than the rest of this.
      stop.abort('ended');
    },
    cancel() {
      clearTimeout(stallTimer);
      stop.abort('left');
      onAbort();
    },
  });
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  };
  return new Response(body, { headers });
}

/** What to send next: events, a sign of life when there are none for a while, an error, or nothing any more. */
function createTexts<T>({ batches, toMessage, logger }: EventStream<T>) {
  let next: Promise<IteratorResult<readonly T[]>> | undefined;
  return async (): Promise<string | undefined> => {
    next ??= batches.next();
    try {
      const settled = await orKeepAlive(next);
      if (settled === keepAlive) return ': still here\n\n';
      next = undefined;
      return settled.done ? undefined : settled.value.map(toMessage).join('');
    } catch (thrown) {
      next = undefined;
      logger.error('an event stream failed', { cause: thrown });
      return toSse({ event: 'error', data: JSON.stringify({ error: toFailure(thrown) }) });
    }
  };
}

export function toSessionMessage(event: Event): string {
  return toSse({ id: String(event.seq), event: event.type, data: toEventText(event) });
}

export function toPlacedMessage({ position, event }: PlacedEvent): string {
  return toSse({ id: String(position), event: event.type, data: toEventText(event) });
}

const keepAlive = Symbol('keep alive');

function orKeepAlive<T>(next: Promise<T>): Promise<T | typeof keepAlive> {
  // By hand and not with Promise.race: this runs for every batch of every reader.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, keepAliveMs, keepAlive);
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      finish();
    };
    next.then(
      (value) => settle(() => resolve(value)),
      (reason) => settle(() => reject(reason)),
    );
  });
}

/** The events of one turn: its message, then from its start to its end, past whatever else the queue holds. */
export async function* onlyTurn(
  batches: AsyncGenerator<readonly Event[]>,
  turnId: string,
): AsyncGenerator<readonly Event[]> {
  const isOwn = createTurnFilter(turnId);
  for await (const batch of batches) {
    const own: Event[] = [];
    for (const event of batch) {
      if (isOwn(event)) own.push(event);
      if (event.type === 'turn_end' && event.data.turnId === turnId) {
        yield own;
        return;
      }
    }
    if (own.length > 0) yield own;
  }
}

const texts = new WeakMap<Event, string>();

/**
 * Events as JSON. The same event often goes to many readers, so its text is made once and kept as long as the event is.
 * The same text whether the event is news or comes from the store.
 */
export function toEventText(event: Event): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const { sessionId, seq, at, lineage, type, data } = event;
  const text = JSON.stringify({ sessionId, seq, at, lineage, type, data });
  texts.set(event, text);
  return text;
}
