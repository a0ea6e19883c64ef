// Carries calls of the route table over a `fetch`: request out, answer parsed, failures as ToolyardError.
import type { z } from 'zod';
import { ErrorBody, ToolyardError } from '../protocol/error.ts';
import type { AnyRoute } from '../protocol/routes/route.ts';
import type { SocketConstructor } from './reconnecting-socket.ts';
import { readSse, type SseMessage } from './sse.ts';

export interface ClientOptions {
  /** For example `http://127.0.0.1:4242`. */
  baseUrl: string;
  /** A function is asked before each request, and each time that a socket opens. */
  token?: string | (() => string | undefined);
  /** The surface that speaks, as approvals and evidence name it: 1 to 20 lower-case letters (default `library`). */
  via?: string;
  fetch?: (request: Request) => Promise<Response> | Response;
  /** For `socket` (default: the platform's own). */
  WebSocket?: SocketConstructor;
}

export interface Call {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  credentials?: RequestCredentials;
}

export function toToken({ token }: Pick<ClientOptions, 'token'>): string | undefined {
  return typeof token === 'function' ? token() : token;
}

export function createCarrier(options: ClientOptions) {
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

  /** What a stream says until it ends. A reader that was too slow is dropped: then it ends, too. */
  async function* messages(route: AnyRoute, call: Call): AsyncGenerator<SseMessage> {
    const response = await open(route, call, 'text/event-stream');
    if (!response.body) return;
    for await (const message of readSse(response.body)) {
      // A session's own `error` events have a number; the one without is the stream's.
      if (message.id !== undefined || message.event === undefined) yield message;
      else if (message.event === 'resync') return;
      else if (message.event === 'error')
        throw (
          fromBody(JSON.parse(message.data)) ??
          new ToolyardError('internal', 'The event stream was interrupted.')
        );
    }
  }

  return { open, request, messages };
}

/** The signal stands beside the request, too: with a request that was collected, its stream could not be stopped. */
function send(options: ClientOptions, request: Request, { signal }: Call): Promise<Response> | Response {
  return options.fetch?.(request) ?? fetch(request, signal ? { signal } : {});
}

function toRequest(
  { baseUrl, via = 'library', ...options }: ClientOptions,
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
  const token = toToken(options);
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (call.body !== undefined) headers.set('content-type', 'application/json');
  return new Request(url, {
    method: route.method,
    headers,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    ...(call.signal && { signal: call.signal }),
    ...(call.credentials && { credentials: call.credentials }),
  });
}

async function toError(response: Response): Promise<ToolyardError> {
  const body: unknown = await response.json().catch(() => undefined);
  return (
    fromBody(body) ??
    new ToolyardError('internal', `The server answered with status ${response.status} and no error message.`)
  );
}

function fromBody(body: unknown): ToolyardError | undefined {
  const parsed = ErrorBody.safeParse(body);
  if (!parsed.success) return undefined;
  const { code, message, data } = parsed.data.error;
  return new ToolyardError(code, message, data ? { data } : {});
}
