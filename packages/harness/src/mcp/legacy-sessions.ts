// Clients of the protocol before 2026-07-28: each has a session of its own with a server instance of its own, which ends
// when the client says so or has not been heard of for long. A session is only for the caller that opened it.
import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { ToolyardError } from '@toolyard/sdk';
import type { Clock } from '../core/lib/ports.ts';
import { type Caller, toKey } from './caller.ts';
import { createReplay } from './replay.ts';
import type { ClientServer } from './server.ts';
import type { OnEnded } from './tool-calls.ts';

export interface LegacySessionDeps {
  clock: Clock;
  /** A server for one session. */
  openServer(caller: Caller, onEnded: OnEnded): ClientServer;
  /** For tests: less patience than clients are given. */
  timeouts?: Partial<typeof defaultTimeouts>;
}

const defaultTimeouts = {
  /** Without a sign of life so long, a session ends, and with it whatever it waits for. */
  expireAfterMs: 30 * 60_000,
  sweepIntervalMs: 60_000,
};

interface LegacySession extends ClientServer {
  caller: Caller;
  transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  /** Streams on which the client listens for what it did not ask for. */
  streams: number;
  /** On which line the client waits for each answer; aborted when that line is gone. */
  connections: Map<RequestId, AbortSignal>;
  /** Lines on which an answer is missing, since its client took the request back: nothing else would end them. */
  incomplete: WeakSet<AbortSignal>;
  /** Requests that are on their way to the server, which does not know of them yet. */
  handedOver: Set<RequestId>;
}

const sessionsPerCaller = 100;
const retryIntervalMs = 1_000;

export type LegacySessions = ReturnType<typeof createLegacySessions>;

export function createLegacySessions({ clock, openServer, timeouts }: LegacySessionDeps) {
  const { expireAfterMs, sweepIntervalMs } = { ...defaultTimeouts, ...timeouts };
  const sessions = new Map<string, LegacySession>();
  const sweeper = setInterval(sweep, sweepIntervalMs).unref();

  function sweep(): void {
    for (const session of sessions.values()) {
      if (!hasListener(session) && clock.now() - session.usedAt > expireAfterMs)
        void session.transport.close();
    }
  }

  /** Nobody can fill the memory with sessions, nor push out those of another. */
  async function makeRoom({ actor }: Caller): Promise<void> {
    const theirs = [...sessions.values()].filter(({ caller }) => caller.actor.id === actor.id);
    if (theirs.length < sessionsPerCaller) return;
    const [oldest] = theirs.filter((session) => !isInUse(session)).sort((a, b) => a.usedAt - b.usedAt);
    if (oldest) return oldest.transport.close();
    const what = `This token already uses ${sessionsPerCaller} MCP sessions. Close one first.`;
    throw new ToolyardError('too_many_pending', what);
  }

  async function open(caller: Caller): Promise<LegacySession> {
    await makeRoom(caller);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createReplay(),
      retryInterval: retryIntervalMs,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    const opened = openServer(caller, (requestId, how) => closeIncomplete(session, requestId, how));
    const session: LegacySession = {
      ...opened,
      caller,
      transport,
      usedAt: clock.now(),
      streams: 0,
      connections: new Map(),
      incomplete: new WeakSet(),
      handedOver: new Set(),
    };
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

  function countStream(session: LegacySession, connection: AbortSignal): void {
    const onClosed = () => {
      session.streams--;
      session.usedAt = clock.now();
    };
    session.streams++;
    connection.addEventListener('abort', onClosed, { once: true });
  }

  /** A client whose line has just broken has all the time again to come back. */
  function watchConnection(session: LegacySession, connection: AbortSignal, ids: readonly RequestId[]): void {
    const { connections } = session;
    const { isUnderWay } = toRequestState(session);
    for (const id of connections.keys()) if (!isUnderWay(id)) connections.delete(id);
    for (const id of ids) connections.set(id, connection);
    const onClosed = () => {
      session.usedAt = clock.now();
    };
    connection.addEventListener('abort', onClosed, { once: true });
  }

  return {
    async handle(request: Request, caller: Caller, body: unknown): Promise<Response> {
      const session = await find(request, caller, body);
      if (session instanceof Response) return session;
      session.usedAt = clock.now();
      const mistake = findInvalidRequest(body, toRequestState(session));
      if (mistake) return refuse(400, mistake);
      const ids = toRequestIds(body);
      if (ids.length > 0) watchConnection(session, request.signal, ids);
      for (const id of ids) session.handedOver.add(id);
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      // By then the server knows of them itself.
      setImmediate(() => {
        for (const id of ids) session.handedOver.delete(id);
      });
      if (request.method === 'GET' && response.ok) countStream(session, request.signal);
      return response;
    },

    isBusy: () => [...sessions.values()].some(isInUse),

    /** Ends the sessions of a token that was revoked, with all that they wait for. */
    dismiss(actorId: string): void {
      for (const { caller, transport } of sessions.values())
        if (caller.actor.id === actorId) void transport.close();
    },

    async close(): Promise<void> {
      clearInterval(sweeper);
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
    },
  };
}

/** Ends an incomplete line when nothing more will come on it. A batch shares one. */
function closeIncomplete(session: LegacySession, id: RequestId, how: Parameters<OnEnded>[1]): void {
  const { connections, incomplete, underWay, transport } = session;
  const connection = connections.get(id);
  if (!connection) return;
  if (how === 'taken back') incomplete.add(connection);
  if (!incomplete.has(connection)) return;
  // By the next turn of the event loop the last answer is out, and all of the batch has begun.
  setImmediate(() => {
    const isTaken = connections.has(id) && connections.get(id) !== connection;
    const isShared = [...connections].some(([other, its]) => its === connection && underWay.has(other));
    if (!isTaken && !isShared) transport.closeSSEStream(id);
  });
}

function isInUse({ streams, underWay }: LegacySession): boolean {
  return streams > 0 || underWay.size > 0;
}

/** Whether somebody is there to hear what comes. */
function hasListener({ streams, underWay, connections }: LegacySession): boolean {
  return streams > 0 || [...connections].some(([id, connection]) => underWay.has(id) && !connection.aborted);
}

function toRequestState({ server, underWay, handedOver }: LegacySession) {
  return {
    revision: server.getNegotiatedProtocolVersion(),
    isUnderWay: (id: RequestId) => underWay.has(id) || handedOver.has(id),
  };
}

/** As the protocol has it: by status a client knows whether to initialize again. */
function refuse(status: 400 | 404, message: string): Response {
  const code = status === 404 ? -32001 : -32600;
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

/** The one revision with batches: earlier ones had none yet, later ones have none any more. */
const batchRevision = '2025-03-26';

/** The ids of the requests in a body, in order. */
function toRequestIds(body: unknown): RequestId[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.filter((message) => isJSONRPCRequest(message)).map(({ id }) => id);
}

interface RequestState {
  /** What was agreed when the session began. */
  revision: string | undefined;
  isUnderWay(id: RequestId): boolean;
}

/** Why a body cannot be taken, in words for whoever wrote the client. Asked before anything of it runs. */
function findInvalidRequest(body: unknown, { revision, isUnderWay }: RequestState): string | undefined {
  if (Array.isArray(body) && revision !== batchRevision) {
    return `Protocol revision ${revision} has no batches. Send each message in its own request.`;
  }
  const ids = toRequestIds(body);
  if (new Set(ids).size < ids.length)
    return 'Two requests of this batch have the same id. None of them was run.';
  // Two requests of one id would get each other's answers.
  return ids.some(isUnderWay) ? 'A request with this id is already in progress.' : undefined;
}
