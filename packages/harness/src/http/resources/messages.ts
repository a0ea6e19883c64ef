// Messages, turns and events over HTTP: send, watch, interrupt, retry.
import { type AnyRoute, type Event, routes, ToolyardError } from '@toolyard/sdk';
import type { HttpDeps } from '../server/deps.ts';
import { type HttpRouter, type Incoming, mount } from '../server/mount.ts';
import {
  onlyTurn,
  parseCursor,
  toEventStream,
  toPlacedMessage,
  toSessionMessage,
} from '../streams/events.ts';

export function mountMessages(app: HttpRouter, deps: HttpDeps): void {
  const { readers, readerLimits: limits } = deps;
  const { sessions, turns, log, logger } = deps.core;
  const everything = (all: AsyncGenerator<readonly Event[]>) => all;

  type Asking = Pick<Incoming<AnyRoute>, 'owner' | 'disconnect'>;
  function stream({ owner, disconnect }: Asking, sessionId: string, after: number, select = everything) {
    const stop = readers.open(owner);
    const batches = select(log.read(sessionId, after, stop.signal));
    const about = { sessionId };
    return toEventStream({ batches, toMessage: toSessionMessage, about, stop, logger, limits, disconnect });
  }

  mount(app, routes.sendMessage, async ({ params: { id }, body, request, ...asking }) => {
    const { turnId, seq } = await turns.accept(id, body.content, parseKey(request));
    if (!wantsStream(request)) return { turnId, seq };
    return stream(asking, id, seq - 1, (all) => onlyTurn(all, turnId));
  });
  mount(app, routes.readEvents, async ({ params: { id }, query, request, ...asking }) => {
    const { lastSeq: last } = await sessions.open(id);
    const cursors = { what: 'event', last } as const;
    return stream(asking, id, parseCursor(request.headers.get('last-event-id'), query.after, cursors) ?? 0);
  });
  mount(app, routes.interrupt, ({ params, body }) => turns.interrupt(params.id, body?.turnId));
  mount(app, routes.retry, ({ params }) => turns.retry(params.id));
}

function wantsStream({ headers }: Request): boolean {
  return headers.get('accept')?.toLowerCase().includes('text/event-stream') ?? false;
}

function parseKey(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new ToolyardError('invalid_request', 'Idempotency-Key: use 1 to 255 visible ASCII characters.');
}

/** The events of all sessions as one stream. */
export function mountAllEvents(app: HttpRouter, { core, readers, readerLimits }: HttpDeps): void {
  const { store, log, logger } = core;
  mount(app, routes.readAllEvents, async ({ query, request, owner, disconnect }) => {
    const last = await store.reads.lastPosition();
    const cursors = { what: 'position', last } as const;
    const after = parseCursor(request.headers.get('last-event-id'), query.after, cursors) ?? last;
    const stop = readers.open(owner);
    return toEventStream({
      batches: log.readAll(after, stop.signal),
      toMessage: toPlacedMessage,
      begin: after,
      about: {},
      stop,
      logger,
      limits: readerLimits,
      disconnect,
    });
  });
}
