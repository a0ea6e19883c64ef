// Sessions over HTTP: open, list, read, change, fork, export, search, delete.
import { routes } from '@toolyard/sdk';
import type { Core } from '../../core/core.ts';
import type { SessionExport } from '../../core/sessions/session-export.ts';
import { type HttpRouter, mount, toPage } from '../server/mount.ts';

export function mountSessions(app: HttpRouter, { sessions, search }: Core): void {
  mount(app, routes.createSession, ({ body }) => sessions.create(body));
  mount(app, routes.getSession, ({ params }) => sessions.open(params.id));
  mount(app, routes.changeSession, ({ params, body, actor }) => sessions.change(params.id, body, actor));
  mount(app, routes.readContext, ({ params }) => sessions.context(params.id));
  mount(app, routes.forkSession, ({ params, body }) => sessions.fork(params.id, body));
  mount(app, routes.deleteSession, async ({ params: { id }, actor }) => {
    await sessions.delete(id, actor);
    return { id };
  });
  mount(app, routes.exportSession, async ({ params, query }) =>
    toFile(await sessions.export(params.id, query.format)),
  );
  mount(app, routes.search, ({ query }) => search(query));
  mount(app, routes.listSessions, async ({ query: { limit, after } }) => {
    return toPage(await sessions.list({ limit, ...(after && { after }) }), limit);
  });
}

/** An answer that is a file. It is made as fast as it is read, so that a slow reader costs nothing but time. */
function toFile({ mediaType, fileName, pieces }: SessionExport): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // What throws here breaks the line: half a file must not look whole.
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
  const headers = {
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
    // Whoever opens it in a browser reads it; nothing in it runs.
    'content-security-policy': "default-src 'none'; sandbox",
  };
  return new Response(body, { headers });
}
