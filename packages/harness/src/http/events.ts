// The log as Server-Sent Events. The stream is pulled: a reader that stalls holds nothing but its place.
import { createTurnFilter, type Event, ToolyardError, toFailure, toSse } from '@toolyard/sdk';
import type { Logger } from '../core/ports.ts';
import { wasDismissed } from './readers.ts';

const keepAliveMs = 15_000;

/** Where a reader wants to go on: `Last-Event-ID`, else `?after=`, else the start. */
export function parseCursor(lastEventId: string | null, after: string | undefined, lastSeq: number): number {
  const text = lastEventId || after || '0';
  const cursor = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (cursor !== undefined && cursor <= lastSeq) return cursor;
  const shown = JSON.stringify(text.slice(0, 20));
  const hint = `Use the number of an event, at most ${lastSeq}, or read from the start without a cursor.`;
  throw new ToolyardError('invalid_cursor', `This session has no event ${shown}. ${hint}`, {
    data: { lastSeq },
  });
}

/** Streams batches of events until they end or the reader leaves. */
export function toEventStream(
  batches: AsyncGenerator<readonly Event[]>,
  stop: AbortController,
  logger: Logger,
): Response {
  const encoder = new TextEncoder();
  const nextText = createTexts(batches, logger);
  // Without it the log would keep a place for a reader that nobody reads for.
  const leave = () => void batches.return(undefined);

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode('retry: 1000\n\n')),
    async pull(controller) {
      const text = await nextText();
      const isDismissed = wasDismissed(stop.signal);
      if (text !== undefined && !isDismissed) return controller.enqueue(encoder.encode(text));
      controller.close();
      if (isDismissed) leave();
      // With a reason, because making up the usual one costs more than the rest of this.
      stop.abort('ended');
    },
    cancel() {
      stop.abort('left');
      leave();
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
function createTexts(batches: AsyncGenerator<readonly Event[]>, logger: Logger) {
  let next: Promise<IteratorResult<readonly Event[]>> | undefined;
  return async (): Promise<string | undefined> => {
    next ??= batches.next();
    try {
      const settled = await orKeepAlive(next);
      if (settled === keepAlive) return ': still here\n\n';
      next = undefined;
      return settled.done ? undefined : settled.value.map(toMessage).join('');
    } catch (thrown) {
      next = undefined;
      logger.error('an event stream broke', { cause: thrown });
      return toSse({ event: 'error', data: JSON.stringify({ error: toFailure(thrown) }) });
    }
  };
}

/** The same bytes whether the event is news or comes from the store. */
function toMessage({ sessionId, seq, at, type, data }: Event): string {
  return toSse({ id: String(seq), event: type, data: JSON.stringify({ sessionId, seq, at, type, data }) });
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
