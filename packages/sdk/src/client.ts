// The typed client: the same calls over any `fetch`, be it a socket to a server or the app in memory.
import type { z } from 'zod';
import type { AnswerApproval } from './protocol/approval.ts';
import type { Content } from './protocol/content.ts';
import { ErrorBody, ToolyardError } from './protocol/error.ts';
import { type Event, parseEvent } from './protocol/event.ts';
import type { Answer } from './protocol/question.ts';
import type { AnyRoute } from './protocol/route.ts';
import { routes } from './protocol/routes.ts';
import type { ChangeSession, CreateSession } from './protocol/session.ts';
import type { CreateToken } from './protocol/token.ts';
import { readSse } from './sse.ts';
import { pause } from './wait.ts';

export interface ClientOptions {
  /** For example `http://127.0.0.1:4242`. */
  baseUrl: string;
  token?: string;
  /** The surface that speaks, as approvals and evidence name it: 1 to 20 lower-case letters (default `library`). */
  via?: string;
  fetch?: (request: Request) => Promise<Response> | Response;
}

export interface ReadOptions {
  /** Number of the last event already seen. */
  after?: number;
  signal?: AbortSignal;
  /** How long to try again after the line breaks before giving up (default: for ever). */
  patienceMs?: number;
}

export type Client = ReturnType<typeof createClient>;

/** Which of what people were asked to list. */
type AskedQuery = { state?: string; sessionId?: string; limit?: number; after?: string };

export function createClient(options: ClientOptions) {
  async function open(route: AnyRoute, call: Call, accept: string): Promise<Response> {
    const request = toRequest(options, route, call, accept);
    const response = await Promise.resolve(send(options, request, call)).catch((cause: unknown) => {
      if (call.signal?.aborted) throw call.signal.reason;
      throw new ToolyardError('server_unreachable', `No Toolyard server answers at ${options.baseUrl}.`, {
        cause,
      });
    });
    if (!response.ok) throw await toError(response);
    return response;
  }

  async function request<R extends AnyRoute>(route: R, call: Call = {}): Promise<z.infer<R['response']>> {
    const response = await open(route, call, 'application/json');
    return route.response.parse(await response.json());
  }

  async function* stream(route: AnyRoute, call: Call): AsyncGenerator<Event> {
    const response = await open(route, call, 'text/event-stream');
    if (!response.body) return;
    for await (const message of readSse(response.body)) {
      // A session's own `error` events have a number; the one without is the stream's.
      if (message.event !== 'error' || message.id) yield parseEvent(JSON.parse(message.data));
      else
        throw fromBody(JSON.parse(message.data)) ?? new ToolyardError('internal', 'The event stream broke.');
    }
  }

  /** The log from `after` on, then live, across broken lines: each event once, in order, until `signal` aborts. */
  async function* readEvents(
    id: string,
    { signal, patienceMs, ...read }: ReadOptions = {},
  ): AsyncGenerator<Event> {
    let after = read.after ?? 0;
    let brokenSince: number | undefined;
    for (let attempt = 0; !signal?.aborted; attempt++) {
      try {
        for await (const event of stream(routes.readEvents, {
          params: { id },
          query: { after },
          ...(signal && { signal }),
        })) {
          after = event.seq;
          attempt = 0;
          brokenSince = undefined;
          yield event;
        }
      } catch (thrown) {
        if (signal?.aborted) return;
        if (!isBrokenLine(thrown)) throw thrown;
        brokenSince ??= Date.now();
        if (patienceMs !== undefined && Date.now() - brokenSince >= patienceMs) throw thrown;
      }
      await pause(Math.min(50 * 2 ** attempt, 2_000), signal);
    }
  }

  return {
    health: (signal?: AbortSignal) => request(routes.health, signal ? { signal } : {}),
    sessions: {
      list: (query: { limit?: number; after?: string } = {}) => request(routes.listSessions, { query }),
      create: (body: CreateSession = {}) => request(routes.createSession, { body }),
      get: (id: string) => request(routes.getSession, { params: { id } }),
      change: (id: string, body: ChangeSession) => request(routes.changeSession, { params: { id }, body }),
      context: (id: string) => request(routes.readContext, { params: { id } }),
      /** Resolves once the message is durable; the answer arrives as events. */
      send: (id: string, content: Content, sending: { idempotencyKey?: string } = {}) =>
        request(routes.sendMessage, {
          params: { id },
          body: { content },
          ...(sending.idempotencyKey && { headers: { 'idempotency-key': sending.idempotencyKey } }),
        }),
      /** Sends and yields the events of that turn, up to its end. A broken line ends the iteration, not the turn. */
      stream: (id: string, content: Content, signal?: AbortSignal) =>
        stream(routes.sendMessage, { params: { id }, body: { content }, ...(signal && { signal }) }),
      events: readEvents,
      interrupt: (id: string) => request(routes.interrupt, { params: { id } }),
      retry: (id: string) => request(routes.retry, { params: { id } }),
    },
    tools: {
      list: (query: { role?: string; mode?: string; cwd?: string; explain?: 'true' } = {}) =>
        request(routes.listTools, { query }),
      call: (name: string, body: z.input<(typeof routes)['callTool']['body']>, signal?: AbortSignal) =>
        request(routes.callTool, { params: { name }, body, ...(signal && { signal }) }),
    },
    outputs: {
      read: (id: string, query: { sessionId?: string; offset?: number; length?: number } = {}) =>
        request(routes.readOutput, { params: { id }, query }),
    },
    approvals: {
      list: (query: AskedQuery & { toolCallId?: string } = {}) => request(routes.listApprovals, { query }),
      get: (id: string) => request(routes.getApproval, { params: { id } }),
      answer: (id: string, body: AnswerApproval) => request(routes.answerApproval, { params: { id }, body }),
    },
    questions: {
      list: (query: AskedQuery = {}) => request(routes.listQuestions, { query }),
      get: (id: string) => request(routes.getQuestion, { params: { id } }),
      answer: (id: string, answer: Answer) =>
        request(routes.answerQuestion, { params: { id }, body: { answer } }),
    },
    grants: {
      list: () => request(routes.listGrants),
      revoke: (id: string) => request(routes.revokeGrant, { params: { id } }),
    },
    tokens: {
      list: () => request(routes.listTokens),
      create: (body: z.input<typeof CreateToken>) => request(routes.createToken, { body }),
      revoke: (id: string) => request(routes.revokeToken, { params: { id } }),
    },
    roles: { list: (query: { cwd?: string } = {}) => request(routes.listRoles, { query }) },
    trust: {
      look: (query: { cwd?: string } = {}) => request(routes.lookAtTrust, { query }),
      trust: (body: { cwd?: string; hash: string }) => request(routes.trust, { body }),
    },
    audit: {
      list: (query: { after?: number; limit?: number } = {}) => request(routes.listAudit, { query }),
      verify: () => request(routes.verifyAudit),
    },
    createLoginLink: () => request(routes.createLogin),
  };
}

/** The signal stands beside the request, too: with a request that was collected, its stream could not be stopped. */
function send(options: ClientOptions, request: Request, { signal }: Call): Promise<Response> | Response {
  return options.fetch?.(request) ?? fetch(request, signal ? { signal } : {});
}

interface Call {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function toRequest(
  { baseUrl, token, via = 'library' }: ClientOptions,
  route: AnyRoute,
  call: Call,
  accept: string,
): Request {
  const path = route.path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(call.params?.[key] ?? ''),
  );
  const url = new URL(path, baseUrl);
  for (const [key, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  const headers = new Headers({ accept, 'x-toolyard-via': via, ...call.headers });
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (call.body !== undefined) headers.set('content-type', 'application/json');
  return new Request(url, {
    method: route.method,
    headers,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    ...(call.signal && { signal: call.signal }),
  });
}

async function toError(response: Response): Promise<ToolyardError> {
  const body: unknown = await response.json().catch(() => undefined);
  return (
    fromBody(body) ??
    new ToolyardError('internal', `The server answered ${response.status} without a reason.`)
  );
}

function fromBody(body: unknown): ToolyardError | undefined {
  const parsed = ErrorBody.safeParse(body);
  if (!parsed.success) return undefined;
  const { code, message, data } = parsed.data.error;
  return new ToolyardError(code, message, data ? { data } : {});
}

/** A line that may come back, as against an answer that will not change. */
export function isBrokenLine(thrown: unknown): boolean {
  if (!(thrown instanceof ToolyardError)) return true;
  return thrown.code === 'server_unreachable' || thrown.code === 'shutting_down';
}
