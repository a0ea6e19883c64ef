// The events of all sessions as one stream.
import { routes } from '@toolyard/sdk';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';
import { parseCursor, toEventStream, toPlacedMessage } from '../streams/events.ts';

export function mountAllEvents(app: Door, { store, log, logger, readers, readerLimits }: HttpDeps): void {
  mount(app, routes.readAllEvents, async ({ query, request, owner, hangUp }) => {
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
      hangUp,
    });
  });
}
