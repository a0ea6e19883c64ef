// The log as Server-Sent Events. The stream is pulled: a reader that stalls holds nothing but its place.
import { type Event, ToolyardError, toFailure, toSse } from '@toolyard/sdk';
import type { Logger } from '../core/ports.ts';

const keepAliveMs = 15_000;

/** Where a reader wants to go on: `Last-Event-ID`, else `?after=`, else the start. */
export function parseCursor(lastEventId: string | null, after: number | undefined, lastSeq: number): number {
  const cursor = lastEventId === null || lastEventId === '' ? (after ?? 0) : parseLastEventId(lastEventId);
  if (cursor <= lastSeq) return cursor;
  const hint = 'Read again from the start, without a cursor.';
  throw new ToolyardError(
    'invalid_cursor',
    `This session has no event ${cursor}; its last is ${lastSeq}. ${hint}`,
    {
      data: { lastSeq },
    },
  );
}

function parseLastEventId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ToolyardError('invalid_cursor', 'Last-Event-ID must be the number of an event, such as 42.');
}

/** Streams batches of events until they end or the reader leaves. */
export function toEventStream(
  batches: AsyncGenerator<readonly Event[]>,
  stop: AbortController,
  logger: Logger,
): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<readonly Event[]>> | undefined;
  const finish = (controller: ReadableStreamDefaultController) => {
    stop.abort();
    controller.close();
  };

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode('retry: 1000\n\n')),
    async pull(controller) {
      try {
        next ??= batches.next();
        const settled = await orKeepAlive(next);
        if (settled === keepAlive) return controller.enqueue(encoder.encode(': still here\n\n'));
        next = undefined;
        if (settled.done) finish(controller);
        else controller.enqueue(encoder.encode(settled.value.map(toMessage).join('')));
      } catch (thrown) {
        logger.error('an event stream broke', { cause: thrown });
        controller.enqueue(
          encoder.encode(toSse({ event: 'error', data: JSON.stringify({ error: toFailure(thrown) }) })),
        );
        finish(controller);
      }
    },
    cancel: () => stop.abort(),
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  });
}

function toMessage(event: Event): string {
  return toSse({ id: String(event.seq), event: event.type, data: JSON.stringify(event) });
}

const keepAlive = Symbol('keep alive');

function orKeepAlive<T>(next: Promise<T>): Promise<T | typeof keepAlive> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof keepAlive>((resolve) => {
    timer = setTimeout(() => resolve(keepAlive), keepAliveMs);
  });
  return Promise.race([next, late]).finally(() => clearTimeout(timer));
}

/** The events of one turn: its message, then from its start to its end, past whatever else the queue holds. */
export async function* onlyTurn(
  batches: AsyncGenerator<readonly Event[]>,
  turnId: string,
): AsyncGenerator<readonly Event[]> {
  let started = false;
  for await (const batch of batches) {
    const own: Event[] = [];
    for (const event of batch) {
      if (event.type === 'turn_start') started = event.data.turnId === turnId;
      const isMessage = event.type === 'user_message' && event.data.turnId === turnId;
      if (started || isMessage) own.push(event);
      if (event.type === 'turn_end' && event.data.turnId === turnId) {
        yield own;
        return;
      }
    }
    if (own.length > 0) yield own;
  }
}
