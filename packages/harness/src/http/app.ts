// The HTTP door: guards first, then the routes. No socket here: `fetch` in, Response out.
import { type AnyRoute, routes, ToolyardError } from '@toolyard/sdk';
import { type Context, Hono } from 'hono';
import { checkHost, checkOrigin, createTokenCheck } from './auth.ts';
import type { HttpDeps } from './deps.ts';
import { toErrorResponse } from './errors.ts';
import { mountMessages } from './messages.ts';
import { mount } from './mount.ts';
import { mountSessions } from './sessions.ts';

export function createHttpApp(deps: HttpDeps): Hono {
  const app = new Hono();
  const checkToken = createTokenCheck(deps.token);

  app.use(async (c, next) => {
    await next();
    // Not c.header(), which would wrap the answer in another one.
    c.res.headers.set('x-content-type-options', 'nosniff');
    // The answer to HEAD has no body: a stream opened for it would have no reader, and never end.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
  });
  app.use(async (c, next) => {
    const target = new URL(c.req.url).host;
    // In memory there is no Host header; a target like `http://elsewhere/api` on the wire may contradict it.
    const host = c.req.header('host') ?? target;
    for (const name of [host, target]) checkHost(name, deps.listenHost());
    checkOrigin({ origin: c.req.header('origin'), site: c.req.header('sec-fetch-site') }, host);
    if (!isPublic(c)) checkToken(c.req.header('authorization'));
    await next();
  });
  app.onError((thrown) => toErrorResponse(thrown, deps.logger));
  app.notFound((c) => refuseUnknown(c, deps));

  mount(app, routes.health, deps.health);
  mount(app, routes.listTools, () => ({ items: [...deps.toolbox.list()] }));
  mountSessions(app, deps);
  mountMessages(app, deps);
  return app;
}

function isPublic(c: Context): boolean {
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  return method === routes.health.method && c.req.path === routes.health.path;
}

/** Tells a wrong path from a wrong method. */
function refuseUnknown({ req }: Context, { logger }: HttpDeps): Response {
  const methods = Object.values<AnyRoute>(routes)
    .filter(({ path }) => toPattern(path).test(req.path))
    .map(({ method }) => method);
  const where = `${req.method} ${req.path.slice(0, 100)}`;
  if (methods.length === 0) {
    return toErrorResponse(new ToolyardError('not_found', `There is nothing at ${where}.`), logger);
  }
  const message = `${where} is not possible. Use ${methods.join(' or ')}.`;
  const response = toErrorResponse(new ToolyardError('method_not_allowed', message), logger);
  response.headers.set('allow', methods.join(', '));
  return response;
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
}
