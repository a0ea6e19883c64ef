// The HTTP door: guards first, then the routes. No socket here: `fetch` in, Response out.
import { routes, ToolyardError } from '@toolyard/sdk';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { checkHost, checkOrigin, createTokenCheck } from './auth.ts';
import type { HttpDeps } from './deps.ts';
import { toErrorResponse } from './errors.ts';
import { mountMessages } from './messages.ts';
import { mount } from './mount.ts';
import { mountSessions } from './sessions.ts';

const maxBodyBytes = 4 * 1024 * 1024;

export function createHttpApp(deps: HttpDeps): Hono {
  const app = new Hono();
  const checkToken = createTokenCheck(deps.token);

  app.use(async (c, next) => {
    const host = hostOf(c);
    checkHost(host, deps.listenHost());
    checkOrigin(c.req.header('origin'), host);
    if (!isPublic(c)) checkToken(c.req.header('authorization'));
    await next();
    c.header('x-content-type-options', 'nosniff');
  });
  app.use(bodyLimit({ maxSize: maxBodyBytes, onError: refuseLargeBody }));
  app.onError((thrown) => toErrorResponse(thrown, deps.logger));
  app.notFound((c) => {
    const message = `There is nothing at ${c.req.method} ${c.req.path.slice(0, 100)}.`;
    return toErrorResponse(new ToolyardError('not_found', message), deps.logger);
  });

  mount(app, routes.health, deps.health);
  mount(app, routes.listTools, () => ({ items: [...deps.toolbox.list()] }));
  mountSessions(app, deps);
  mountMessages(app, deps);
  return app;
}

function hostOf(c: Context): string | undefined {
  // In memory there is no Host header; the URL stands for it.
  return c.req.header('host') ?? new URL(c.req.url).host;
}

function isPublic(c: Context): boolean {
  return c.req.method === routes.health.method && c.req.path === routes.health.path;
}

function refuseLargeBody(): never {
  throw new ToolyardError(
    'payload_too_large',
    `A request may hold at most ${maxBodyBytes / 1024 / 1024} MB.`,
  );
}
