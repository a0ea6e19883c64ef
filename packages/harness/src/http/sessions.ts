// Sessions over HTTP: open, list, read, change.
import { routes } from '@toolyard/sdk';
import type { HttpDeps } from './deps.ts';
import { type Door, mount } from './mount.ts';

export function mountSessions(app: Door, { sessions, sessionDesk }: HttpDeps): void {
  mount(app, routes.createSession, ({ body }) => sessions.create(body));
  mount(app, routes.getSession, ({ params }) => sessions.open(params.id));
  mount(app, routes.changeSession, ({ params, body, actor }) => sessionDesk.change(params.id, body, actor));
  mount(app, routes.readContext, ({ params }) => sessionDesk.context(params.id));
  mount(app, routes.listSessions, async ({ query: { limit, after } }) => {
    const items = await sessions.list({ limit, ...(after && { after }) });
    const last = items.at(-1);
    return { items, ...(last && items.length === limit && { next: last.id }) };
  });
}
