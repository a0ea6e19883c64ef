// Clients of the protocol before 2026-07-28: each has a session of its own with a server instance of its own, which ends
// when the client says so or has not been heard of for long. A session is only for the caller that opened it.
import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { ToolyardError } from '@toolyard/sdk';
import type { Clock } from '../core/ports.ts';
import { type Caller, toKey } from './caller.ts';
import { createReplay } from './replay.ts';
import type { ClientServer } from './server.ts';

export interface LegacySessionDeps {
  clock: Clock;
  /** A server for one session. `hangUp` ends the answer to a request that will get none. */
  openServer(caller: Caller, hangUp: (requestId: string | number) => void): ClientServer;
}

interface LegacySession extends ClientServer {
  caller: Caller;
  transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  /** Streams on which the client listens for what it did not ask for. */
  streams: number;
}

const forgetAfterMs = 30 * 60_000;
const sweepEveryMs = 60_000;
const sessionsPerCaller = 100;
const comeBackAfterMs = 1_000;

export type LegacySessions = ReturnType<typeof createLegacySessions>;

export function createLegacySessions({ clock, openServer }: LegacySessionDeps) {
  const sessions = new Map<string, LegacySession>();
  const sweeper = setInterval(sweep, sweepEveryMs).unref();

  function sweep(): void {
    for (const session of sessions.values()) {
      if (!isInUse(session) && clock.now() - session.usedAt > forgetAfterMs) void session.transport.close();
    }
  }

  /** Nobody can fill the memory with sessions, nor push out those of another. */
  async function makeRoom({ actor }: Caller): Promise<void> {
    const theirs = [...sessions.values()].filter(({ caller }) => caller.actor.id === actor.id);
    if (theirs.length < sessionsPerCaller) return;
    const [oldest] = theirs.filter((session) => !isInUse(session)).sort((a, b) => a.usedAt - b.usedAt);
    if (oldest) return oldest.transport.close();
    const what = `This token already has ${sessionsPerCaller} MCP sessions in use. Close one first.`;
    throw new ToolyardError('too_many_pending', what);
  }

  async function open(caller: Caller): Promise<LegacySession> {
    await makeRoom(caller);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createReplay(),
      retryInterval: comeBackAfterMs,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    const opened = openServer(caller, (requestId) => transport.closeSSEStream(requestId));
    const session: LegacySession = { ...opened, caller, transport, usedAt: clock.now(), streams: 0 };
    opened.server.onclose = () => void sessions.delete(transport.sessionId ?? '');
    await opened.server.connect(transport);
    return session;
  }

  async function find(request: Request, caller: Caller, body: unknown): Promise<LegacySession | Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      return isInitializeRequest(body)
        ? open(caller)
        : refuse(400, 'Initialize first: Mcp-Session-Id is missing.');
    }
    const session = sessions.get(id);
    return session && toKey(session.caller) === toKey(caller)
      ? session
      : refuse(404, 'There is no such session. Initialize again.');
  }

  return {
    async handle(request: Request, caller: Caller, body: unknown): Promise<Response> {
      const session = await find(request, caller, body);
      if (session instanceof Response) return session;
      session.usedAt = clock.now();
      if (repeatsId(session, body)) return refuse(400, 'A request with this id is already under way.');
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      if (request.method === 'GET' && response.ok) countStream(session, request.signal);
      return response;
    },

    isBusy: () => [...sessions.values()].some(isInUse),

    async close(): Promise<void> {
      clearInterval(sweeper);
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
    },
  };
}

function isInUse({ streams, underWay }: LegacySession): boolean {
  return streams > 0 || underWay.size > 0;
}

/** Two requests of one id would get each other's answers. */
function repeatsId({ underWay }: LegacySession, body: unknown): boolean {
  return isJSONRPCRequest(body) && underWay.has(body.id);
}

function countStream(session: LegacySession, left: AbortSignal): void {
  session.streams++;
  left.addEventListener('abort', () => session.streams--, { once: true });
}

/** As the protocol has it: by status a client knows whether to initialize again. */
function refuse(status: 400 | 404, message: string): Response {
  const code = status === 404 ? -32001 : -32000;
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
