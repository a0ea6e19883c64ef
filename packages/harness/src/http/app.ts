// The HTTP app: guards first, then the routes. No socket here: `fetch` in, Response out.
import { type AnyRoute, routes, ToolyardError } from '@toolyard/sdk';
import { type Context, Hono } from 'hono';
import type { Principal } from '../core/identity/principals.ts';
import type { Logger } from '../core/lib/ports.ts';
import { mountOpenApi } from './openapi.ts';
import { createPage, isPage, isUnknownPage } from './page.ts';
import { mountAgents } from './resources/agents.ts';
import { mountDecisions } from './resources/decisions.ts';
import { mountLogin } from './resources/login.ts';
import { mcpPath, mountMcp } from './resources/mcp.ts';
import { mountAllEvents, mountMessages } from './resources/messages.ts';
import { mountServer } from './resources/server.ts';
import { mountSessions } from './resources/sessions.ts';
import { mountRoles, mountTools } from './resources/tools.ts';
import {
  checkHost,
  checkOrigin,
  createAuthentication,
  forgetCookie,
  isSentByPage,
  toOwnOrigin,
} from './server/auth.ts';
import type { HttpDeps } from './server/deps.ts';
import { toErrorResponse } from './server/errors.ts';
import { type HttpRouter, sourceOf } from './server/mount.ts';
import { mountSocket } from './streams/socket.ts';

export function createHttpApp(deps: HttpDeps): HttpRouter {
  const app: HttpRouter = new Hono();
  const { core, publicUrl } = deps;
  const { logger } = core;
  const authenticate = createAuthentication(core);
  const files = createPage(deps.pageFolder);
  mountRequestLog(app, logger);

  app.use(async (c, next) => {
    await next();
    // Not c.header(), which would wrap the answer in another one.
    c.res.headers.set('x-content-type-options', 'nosniff');
    forgetCookie(c.req.raw, c.res);
    // The answer to HEAD has no body: a stream opened for it would have no reader, and never end.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
  });
  app.use(async (c, next) => {
    const target = new URL(c.req.url).host;
    // In memory there is no Host header; a target like `http://elsewhere/api` on the wire may contradict it.
    const host = c.req.header('host') ?? target;
    for (const name of [host, target]) checkHost(name, { listenHost: deps.listenHost(), publicUrl });
    const own = toOwnOrigin(host, publicUrl);
    const sender = {
      origin: c.req.header('origin'),
      site: c.req.header('sec-fetch-site'),
      via: c.req.header('x-toolyard-via'),
    };
    const page = isSentByPage(sender, own) ? own : undefined;
    c.set('page', page);
    // Following a link from elsewhere is how a login begins, and how a person comes to the page.
    const isReading = c.req.method === 'GET' || c.req.method === 'HEAD';
    const mayComeFromElsewhere = isReading && isPage(c.req.path);
    // Before anything is asked of them, and in place of all else: nobody gets past the guards this way.
    if (isReading && isUnknownPage(c.req.path, c.req.header('accept'))) return files.openNotFound();
    if (!mayComeFromElsewhere) checkOrigin(sender, own, publicUrl);
    if (!isPublic(c)) {
      const { authorization, 'sec-websocket-protocol': protocols } = c.req.header();
      const isSocket = c.req.path === routes.openSocket.path;
      const principal = await authenticate({
        authorization,
        ...(isSocket && { protocols }),
        page,
        source: sourceOf(c),
      });
      if (c.req.path !== mcpPath) requirePerson(principal);
      c.set('principal', principal);
      c.set('recheck', () => core.principals.recheck(principal));
    }
    await next();
    // Only for the name of the proxy: on a loopback name it would turn every other server there to https, too.
    if (own === publicUrl && own.startsWith('https:'))
      c.res.headers.set('strict-transport-security', `max-age=${yearSeconds}`);
  });
  app.onError((thrown) => toErrorResponse(thrown, logger));
  app.notFound((c) => refuseUnknown(c, logger));

  mountSessions(app, core);
  mountMessages(app, deps);
  mountTools(app, core);
  mountDecisions(app, core);
  mountAgents(app, core);
  mountRoles(app, core);
  mountServer(app, deps);
  mountAllEvents(app, deps);
  mountSocket(app, deps);
  mountOpenApi(app, deps);
  mountLogin(app, deps);
  mountMcp(app, deps);
  files.mount(app);
  return app;
}

const yearSeconds = 31_536_000;
const publicRoutes: ReadonlySet<string> = new Set(
  Object.values<AnyRoute>(routes).flatMap((route) => (route.public ? [`${route.method} ${route.path}`] : [])),
);

function isPublic(c: Context): boolean {
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  return (method === 'GET' && isPage(c.req.path)) || publicRoutes.has(`${method} ${c.req.path}`);
}

/** An agent's token is for its tools, over MCP, and opens nothing else. */
function requirePerson({ kind }: Principal): void {
  if (kind === 'person') return;
  throw new ToolyardError('person_only', 'This token belongs to an agent: it can only call tools over MCP.');
}

/** Tells a wrong path from a wrong method. */
function refuseUnknown({ req }: Context, logger: Logger): Response {
  const methods = Object.values<AnyRoute>(routes)
    .filter(({ path }) => toPattern(path).test(req.path))
    .map(({ method }) => method);
  const where = `${req.method} ${req.path.slice(0, 100)}`;
  if (methods.length === 0) {
    return toErrorResponse(new ToolyardError('not_found', `There is nothing at ${where}.`), logger);
  }
  const message = `${where} is not supported. Use ${methods.join(' or ')}.`;
  const response = toErrorResponse(new ToolyardError('method_not_allowed', message), logger);
  response.headers.set('allow', methods.join(', '));
  return response;
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
}

const maxPathLength = 200;

/**
 * What was asked and how it went, for who debugs: method, path, status and time. No body, no query, no header. First of
 * all, so that what the guards refuse is there, too. A stream goes on after its answer has begun.
 */
function mountRequestLog(app: HttpRouter, logger: Logger): void {
  app.use(async (c, next) => {
    const startedAt = performance.now();
    await next();
    const { method, path } = c.req;
    const sessionId = path.match(/\/(ses_[0-9a-z]{1,40})(?:\/|$)/)?.[1];
    logger.debug('request', {
      method: method.slice(0, 20),
      path: path.slice(0, maxPathLength),
      status: c.res.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      // Who asked, if a guard has let them in.
      by: c.get('principal')?.id,
      sessionId,
    });
  });
}
