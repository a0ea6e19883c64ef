// The HTTP interface as data: the server mounts it, the client calls it, tests and docs enumerate it.
import { z } from 'zod';
import { Content } from './content.ts';
import { CreateSession, Session, SessionId, TurnId } from './session.ts';
import { ToolInfo } from './tool-info.ts';

export interface Route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Hono-style path; each `:name` is a key of `params`. */
  path: string;
  summary: string;
  /** Answers without a token. */
  public?: boolean;
  /** Answers with a stream of events (SSE): always, or when the caller's `Accept` asks for it. */
  stream?: 'always' | 'accept';
  /** Status of a good answer. */
  status: 200 | 201 | 202;
  params: P;
  query: Q;
  body: B;
  response: R;
}

// biome-ignore lint/suspicious/noExplicitAny: the one place that means "a route of any shape"; each use infers its own.
export type AnyRoute = Route<any, any, any, any>;

const none = z.strictObject({});
const noBody = z.undefined();
const inSession = z.object({ id: SessionId });
const accepted = z.object({ turnId: TurnId, seq: z.int().nonnegative() });

export const Health = z.object({
  ok: z.boolean(),
  product: z.literal('Toolyard'),
  version: z.string(),
  pid: z.int(),
  rehearsing: z.boolean(),
  uptimeSeconds: z.number(),
});
export type Health = z.infer<typeof Health>;

/** Every list answers this shape; `next` is the cursor of the following page. */
function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().optional() });
}

export const routes = {
  health: {
    method: 'GET',
    path: '/api/health',
    summary: 'Is the server there, and is it rehearsing?',
    public: true,
    status: 200,
    params: none,
    query: z.object({}),
    body: noBody,
    response: Health,
  },
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    summary: 'Sessions, newest first',
    status: 200,
    params: none,
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(500).default(50),
      after: SessionId.optional(),
    }),
    body: noBody,
    response: listOf(Session),
  },
  createSession: {
    method: 'POST',
    path: '/api/sessions',
    summary: 'Open a session',
    status: 201,
    params: none,
    query: none,
    body: CreateSession,
    response: Session,
  },
  getSession: {
    method: 'GET',
    path: '/api/sessions/:id',
    summary: 'One session',
    status: 200,
    params: inSession,
    query: none,
    body: noBody,
    response: Session,
  },
  sendMessage: {
    method: 'POST',
    path: '/api/sessions/:id/messages',
    summary: 'Send a message; answers 202 at once, or the turn as it happens for Accept: text/event-stream',
    stream: 'accept',
    status: 202,
    params: inSession,
    query: none,
    body: z.strictObject({ content: Content }),
    response: accepted,
  },
  readEvents: {
    method: 'GET',
    path: '/api/sessions/:id/events',
    summary: 'The log from the start, or after `Last-Event-ID` or `?after=`, then live',
    stream: 'always',
    status: 200,
    params: inSession,
    // The number of an event, as in `Last-Event-ID`; judged with it.
    query: z.strictObject({ after: z.string().optional() }),
    body: noBody,
    response: z.undefined(),
  },
  interrupt: {
    method: 'POST',
    path: '/api/sessions/:id/interrupt',
    summary: 'Stop the running turn; queued messages go on',
    status: 200,
    params: inSession,
    query: none,
    body: none.optional(),
    response: z.object({ turnId: TurnId.nullable() }),
  },
  retry: {
    method: 'POST',
    path: '/api/sessions/:id/retry',
    summary: 'Run the last turn again from where it stopped',
    status: 202,
    params: inSession,
    query: none,
    body: none.optional(),
    response: accepted,
  },
  listTools: {
    method: 'GET',
    path: '/api/tools',
    summary: 'Tools that agents may call',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: listOf(ToolInfo),
  },
} as const satisfies Record<string, AnyRoute>;

export type RouteName = keyof typeof routes;
