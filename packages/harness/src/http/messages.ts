// Messages and turns over HTTP: send, watch, interrupt, retry.
import { type Actor, type Event, routes, ToolyardError } from '@toolyard/sdk';
import type { HttpDeps } from './deps.ts';
import { onlyTurn, parseCursor, toEventStream } from './events.ts';
import { type Door, mount } from './mount.ts';

export function mountMessages(app: Door, { sessions, turns, log, logger, readers }: HttpDeps): void {
  const everything = (all: AsyncGenerator<readonly Event[]>) => all;

  function stream({ id: owner }: Actor, sessionId: string, after: number, select = everything) {
    const stop = readers.open(owner);
    return toEventStream(select(log.read(sessionId, after, stop.signal)), stop, logger);
  }

  mount(app, routes.sendMessage, async ({ params: { id }, body, request, actor }) => {
    const { turnId, seq } = await turns.accept(id, body.content, parseKey(request));
    if (!wantsStream(request)) return { turnId, seq };
    return stream(actor, id, seq - 1, (all) => onlyTurn(all, turnId));
  });
  mount(app, routes.readEvents, async ({ params: { id }, query, request, actor }) => {
    const { lastSeq } = await sessions.open(id);
    return stream(actor, id, parseCursor(request.headers.get('last-event-id'), query.after, lastSeq));
  });
  mount(app, routes.interrupt, ({ params }) => turns.interrupt(params.id));
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
