// Sessions over HTTP: open, list, read, change, fork, export, search, delete.
import { routes } from '@toolyard/sdk';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';
import { toFile } from './file.ts';

export function mountSessions(app: Door, deps: HttpDeps): void {
  const { sessions } = deps;
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
  mount(app, routes.search, ({ query }) => deps.search(query));
  mount(app, routes.listSessions, async ({ query: { limit, after } }) => {
    const items = await sessions.list({ limit, ...(after && { after }) });
    const last = items.at(-1);
    return { items, ...(last && items.length === limit && { next: last.id }) };
  });
}
