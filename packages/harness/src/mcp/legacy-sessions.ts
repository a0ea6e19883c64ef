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
  patience?: Partial<typeof shippedPatience>;
}

const shippedPatience = {
  /** Without a sign of life so long, a session ends, and with it whatever it waits for. */
  forgetAfterMs: 30 * 60_000,
  sweepEveryMs: 60_000,
};

interface LegacySession extends ClientServer {
  caller: Caller;
  transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  /** Streams on which the client listens for what it did not ask for. */
  streams: number;
  /** On which line the client waits for each answer; aborted when that line is gone. */
  lines: Map<RequestId, AbortSignal>;
  /** Lines on which an answer is missing, since its client took the request back: nothing else would end them. */
  incomplete: WeakSet<AbortSignal>;
  /** Requests that are on their way to the server, which does not know of them yet. */
  handedOver: Set<RequestId>;
}

const sessionsPerCaller = 100;
const comeBackAfterMs = 1_000;

export type LegacySessions = ReturnType<typeof createLegacySessions>;

export function createLegacySessions({ clock, openServer, patience }: LegacySessionDeps) {
  const { forgetAfterMs, sweepEveryMs } = { ...shippedPatience, ...patience };
  const sessions = new Map<string, LegacySession>();
  const sweeper = setInterval(sweep, sweepEveryMs).unref();

  function sweep(): void {
    for (const session of sessions.values()) {
      if (!isAttended(session) && clock.now() - session.usedAt > forgetAfterMs)
        void session.transport.close();
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
    const opened = openServer(caller, (requestId, how) => hangUp(session, requestId, how));
    const session: LegacySession = {
      ...opened,
      caller,
      transport,
      usedAt: clock.now(),
      streams: 0,
      lines: new Map(),
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

  function countStream(session: LegacySession, line: AbortSignal): void {
    const onGone = () => {
      session.streams--;
      session.usedAt = clock.now();
    };
    session.streams++;
    line.addEventListener('abort', onGone, { once: true });
  }

  /** A client whose line has just broken has all the time again to come back. */
  function watchLine(session: LegacySession, line: AbortSignal, ids: readonly RequestId[]): void {
    const { lines } = session;
    const { isUnderWay } = toCircumstances(session);
    for (const id of lines.keys()) if (!isUnderWay(id)) lines.delete(id);
    for (const id of ids) lines.set(id, line);
    const onGone = () => {
      session.usedAt = clock.now();
    };
    line.addEventListener('abort', onGone, { once: true });
  }

  return {
    async handle(request: Request, caller: Caller, body: unknown): Promise<Response> {
      const session = await find(request, caller, body);
      if (session instanceof Response) return session;
      session.usedAt = clock.now();
      const mistake = findMistake(body, toCircumstances(session));
      if (mistake) return refuse(400, mistake);
      const ids = toRequestIds(body);
      if (ids.length > 0) watchLine(session, request.signal, ids);
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
function hangUp(session: LegacySession, id: RequestId, how: Parameters<OnEnded>[1]): void {
  const { lines, incomplete, underWay, transport } = session;
  const line = lines.get(id);
  if (!line) return;
  if (how === 'taken back') incomplete.add(line);
  if (!incomplete.has(line)) return;
  // By the next turn of the event loop the last answer is out, and all of the batch has begun.
  setImmediate(() => {
    const isTaken = lines.has(id) && lines.get(id) !== line;
    const isShared = [...lines].some(([other, its]) => its === line && underWay.has(other));
    if (!isTaken && !isShared) transport.closeSSEStream(id);
  });
}

function isInUse({ streams, underWay }: LegacySession): boolean {
  return streams > 0 || underWay.size > 0;
}

/** Whether somebody is there to hear what comes. */
function isAttended({ streams, underWay, lines }: LegacySession): boolean {
  return streams > 0 || [...lines].some(([id, line]) => underWay.has(id) && !line.aborted);
}

function toCircumstances({ server, underWay, handedOver }: LegacySession) {
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

interface Circumstances {
  /** What was agreed when the session began. */
  revision: string | undefined;
  isUnderWay(id: RequestId): boolean;
}

/** Why a body cannot be taken, in words for whoever wrote the client. Asked before anything of it runs. */
function findMistake(body: unknown, { revision, isUnderWay }: Circumstances): string | undefined {
  if (Array.isArray(body) && revision !== batchRevision) {
    return `Protocol revision ${revision} has no batches: send each message in a request of its own.`;
  }
  const ids = toRequestIds(body);
  if (new Set(ids).size < ids.length) return 'Two requests of this batch have one id. Nothing of it was run.';
  // Two requests of one id would get each other's answers.
  return ids.some(isUnderWay) ? 'A request with this id is already under way.' : undefined;
}
