// Mounts a route of the shared table: parses what comes in, checks nothing else, answers JSON with the route's status.
import { type AnyRoute, ToolyardError } from '@toolyard/sdk';
import type { Hono } from 'hono';
import type { z } from 'zod';
import { readBody } from './body.ts';

export interface Incoming<R extends AnyRoute> {
  params: z.infer<R['params']>;
  query: z.infer<R['query']>;
  body: z.infer<R['body']>;
  request: Request;
}

type Answer<R extends AnyRoute> = z.input<R['response']> | Response;

export function mount<R extends AnyRoute>(
  app: Hono,
  route: R,
  handle: (incoming: Incoming<R>) => Promise<Answer<R>> | Answer<R>,
): void {
  app.on(route.method, route.path, async (c) => {
    const incoming = {
      params: parseParams(route, c.req.param()),
      query: parse(route.query, c.req.query(), 'query'),
      body: parse(route.body, await readBody(c.req.raw), 'body'),
      request: c.req.raw,
    };
    const answer = await handle(incoming as Incoming<R>); // parsed just above by this route's own schemas
    return answer instanceof Response ? answer : Response.json(answer, { status: route.status });
  });
}

/** A path that cannot name anything we keep is not there. */
function parseParams(route: AnyRoute, params: Record<string, string>): unknown {
  const parsed = route.params.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new ToolyardError(
    'session_not_found',
    'There is no such session. List them with `toolyard sessions list`.',
  );
}

function parse(schema: z.ZodType, value: unknown, where: string): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // Names and messages may repeat what was sent, and what was sent may be long.
  const issues = parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    path: (path.join('.') || where).slice(0, 100),
    message: message.slice(0, 200),
  }));
  const sentence = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new ToolyardError('invalid_request', sentence.slice(0, 1_000), { data: { issues } });
}
