// Agents, runs and tasks over HTTP: the same that agents have by their tools, for a person.
import { routes } from '@toolyard/sdk';
import type { Core } from '../../core/core.ts';
import { type HttpRouter, mount, toPage } from '../server/mount.ts';

export function mountAgents(app: HttpRouter, { agents, taskAccess }: Core): void {
  mount(app, routes.listAgents, async ({ query: { live, limit, ...filter } }) => {
    // A mistyped task is told as that, not as one on which nobody works.
    if (filter.taskSlug !== undefined) await taskAccess.get(filter.taskSlug);
    return toPage(await agents.list({ ...filter, ...(live && { live }), limit }), limit);
  });
  mount(app, routes.draftAgent, ({ body: { sessionId, ...wanted }, actor }) =>
    agents.draftBy(actor, wanted, sessionId),
  );
  mount(app, routes.getAgent, ({ params }) => agents.get(params.id));
  mount(app, routes.awaitAgent, ({ params, body, request }) =>
    agents.awaitFor(params.id, request.signal, body.timeoutSeconds),
  );
  mount(app, routes.killAgent, ({ params, actor }) => agents.killBy(actor, params.id));
  mount(app, routes.getRun, ({ params }) => agents.run(params.id));

  mount(app, routes.listTasks, async ({ query }) => {
    const items = await taskAccess.list(query);
    const last = items.at(-1);
    return { items, ...(last && items.length === query.limit && { next: last.slug }) };
  });
  mount(app, routes.createTask, ({ body, actor }) => taskAccess.createBy(actor, body));
  mount(app, routes.getTask, async ({ params: { slug }, query }) => ({
    ...(await taskAccess.get(slug)),
    dispatches: toPage(await taskAccess.dispatches(slug, query), query.limit),
  }));
  mount(app, routes.getTaskContext, ({ params, query }) => taskAccess.context(params.slug, query.maxTokens));
  mount(app, routes.closeTask, ({ params, body, actor }) => taskAccess.closeBy(actor, params.slug, body));
}
