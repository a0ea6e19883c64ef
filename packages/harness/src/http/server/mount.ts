// Mounts a route of the shared table: parses what comes in, checks nothing else, answers JSON with the route's status.
import { type Actor, type AnyRoute, type ErrorCode, ToolyardError } from '@toolyard/sdk';
import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { type Principal, toActor } from '../../core/identity/principals.ts';
import { readBody } from './body.ts';
import type { Bindings } from './listen.ts';
import type { Owner } from './readers.ts';

export interface Incoming<R extends AnyRoute> {
  params: z.infer<R['params']>;
  query: z.infer<R['query']>;
  body: z.infer<R['body']>;
  request: Request;
  /** Who asks, and from which surface. */
  actor: Actor;
  /** By whose token, for a stream that must end with it. */
  owner: Owner;
  /** The origin of our own page, if that is what sent the request. */
  page: string | undefined;
  /** Where it came from. */
  source: string;
  /** Cuts the line below the answer. */
  disconnect(): void;
}

/** The app, with what the guards found out about the request. */
export type HttpRouter = Hono<{
  Variables: { principal: Principal; page: string | undefined; recheck?: () => void };
}>;

type Answer<R extends AnyRoute> = z.input<R['response']> | Response;

export function mount<R extends AnyRoute>(
  app: HttpRouter,
  route: R,
  handle: (incoming: Incoming<R>) => Promise<Answer<R>> | Answer<R>,
): void {
  app.on(route.method, route.path, async (c) => {
    const incoming = {
      params: parseParams(route, c.req.param()),
      query: parse(route.query, c.req.query(), 'query'),
      body: parse(route.body, await readBodyOrNothing(route, c.req.raw), 'body'),
      request: c.req.raw,
      actor: route.public ? nobody : toActor(c.get('principal'), surfaceOf(c.req.header('x-toolyard-via'))),
      owner: route.public ? nobody : c.get('principal'),
      page: c.get('page'),
      source: sourceOf(c),
      disconnect: () => void toBindings(c).outgoing?.destroy(),
    };
    // A body may take its time, and the token may be revoked meanwhile.
    c.get('recheck')?.();
    const answer = await handle(incoming as Incoming<R>); // parsed just above by this route's own schemas
    return answer instanceof Response ? answer : Response.json(answer, { status: route.status });
  });
}

/** Who sends nothing where something may be said has said nothing. */
async function readBodyOrNothing(route: AnyRoute, request: Request): Promise<unknown> {
  const given = await readBody(request, route.maxBodyBytes);
  return given === undefined && route.body.safeParse({}).success ? {} : given;
}

/** Where a request came from; in memory there is only one place. */
export function sourceOf(c: Context): string {
  return toBindings(c).incoming?.socket.remoteAddress ?? 'memory';
}

/** What the socket below gave; in memory there is none. */
export function toBindings(c: Context): Partial<Bindings> {
  return c.env ?? {};
}

const nobody: Actor = { kind: 'system', id: 'nobody', via: 'http' };

/** Surfaces name themselves; it is shown, and decides nothing. */
export function surfaceOf(name: string | undefined): string {
  return name?.match(/^[a-z]{1,20}$/)?.[0] ?? 'http';
}

/** A path that cannot name anything we keep is not there. */
function parseParams(route: AnyRoute, params: Record<string, string>): unknown {
  const parsed = route.params.safeParse(params);
  if (parsed.success) return parsed.data;
  const [, , kind = ''] = route.path.split('/');
  const [code, what, list] = unnamed[kind] ?? ['session_not_found', 'session', 'sessions list'];
  throw new ToolyardError(code, `There is no such ${what}. List them with \`toolyard ${list}\`.`);
}

/** What a path of each kind would name, and the command that lists them. */
const unnamed: Record<string, [code: ErrorCode, what: string, list: string]> = {
  agents: ['agent_not_found', 'agent', 'agents list --all'],
  // Each agent names the run that it is of.
  runs: ['run_not_found', 'run', 'agents list --all --json'],
  tasks: ['task_not_found', 'task', 'tasks list'],
};

/** What `value` is by its schema. Throws `invalid_request` with what is wrong and where. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, where: string): z.infer<S> {
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

/** One page of a list whose ids sort by time. There may be more when the page is full. */
export function toPage<T extends { id: string }>(items: T[], limit: number): { items: T[]; next?: string } {
  const last = items.at(-1);
  return { items, ...(last && items.length === limit && { next: last.id }) };
}
