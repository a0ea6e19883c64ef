// The typed client: the same calls over any `fetch`, be it a socket to a server or the app in memory.
import type { z } from 'zod';
import type { AnswerApproval } from '../protocol/approval.ts';
import type { ChangeConfig } from '../protocol/config/config-view.ts';
import type { Content } from '../protocol/content/content.ts';
import { ToolyardError } from '../protocol/error.ts';
import { type Event, isDeletion, type PlacedEvent, parseEvent } from '../protocol/event.ts';
import type { Answer } from '../protocol/question.ts';
import type { AnyRoute } from '../protocol/routes/route.ts';
import { routes } from '../protocol/routes/routes.ts';
import type { ChangeSession, CreateSession, ExportFormat, ForkSession } from '../protocol/session.ts';
import type { CloseTask, CreateTask } from '../protocol/task.ts';
import type { CreateToken } from '../protocol/token.ts';
import { type Call, type ClientOptions, createCarrier } from './carrier.ts';
import { follow, type ReadOptions } from './follow.ts';
import { type ClientSocket, createSocket, type SocketWishes } from './socket.ts';

export type { ClientOptions } from './carrier.ts';

export interface ReadAllOptions extends ReadOptions {
  /** Called whenever the line is open, with the position it begins at. */
  onOpen?(position: number): void;
}

export type Client = ReturnType<typeof createClient>;

/** Which of what people were asked to list. */
type AskedQuery = { state?: string; sessionId?: string; limit?: number; after?: string };

export function createClient(options: ClientOptions) {
  const { open, request, messages } = createCarrier(options);

  async function* stream(route: AnyRoute, call: Call): AsyncGenerator<Event> {
    for await (const { data } of messages(route, call)) if (data) yield parseEvent(JSON.parse(data));
  }

  /**
   * The log from `after` on, then live, across broken lines: each event once, in order, until `signal` aborts or the
   * session is deleted.
   */
  async function* readEvents(id: string, options: ReadOptions = {}): AsyncGenerator<Event> {
    const signal = options.signal && { signal: options.signal };
    const events = follow(async function* (after = 0) {
      const line = stream(routes.readEvents, { params: { id }, query: { after }, ...signal });
      for await (const event of line) yield { place: event.seq, item: event };
    }, options);
    for await (const event of events) {
      yield event;
      if (isDeletion(event)) return;
    }
  }

  function sendMessage(id: string, content: Content, key?: string) {
    const headers = key && { headers: { 'idempotency-key': key } };
    return request(routes.sendMessage, { params: { id }, body: { content }, ...headers });
  }

  /** The same over all sessions: from now on, or past a position. */
  function readAllEvents(options: ReadAllOptions = {}): AsyncGenerator<PlacedEvent> {
    const signal = options.signal && { signal: options.signal };
    return follow(async function* (after) {
      for await (const { id, data } of messages(routes.readAllEvents, { query: { after }, ...signal })) {
        const place = Number(id);
        if (data) yield { place, item: { position: place, event: parseEvent(JSON.parse(data)) } };
        else {
          options.onOpen?.(place);
          yield { place };
        }
      }
    }, options);
  }

  return {
    health: (signal?: AbortSignal) => request(routes.health, signal ? { signal } : {}),
    sessions: {
      list: (query: { limit?: number; after?: string } = {}) => request(routes.listSessions, { query }),
      create: (body: CreateSession = {}) => request(routes.createSession, { body }),
      get: (id: string) => request(routes.getSession, { params: { id } }),
      change: (id: string, body: ChangeSession) => request(routes.changeSession, { params: { id }, body }),
      context: (id: string) => request(routes.readContext, { params: { id } }),
      delete: (id: string) => request(routes.deleteSession, { params: { id } }),
      /** Without `at`: all of it. */
      fork: (id: string, body: ForkSession = {}) => request(routes.forkSession, { params: { id }, body }),
      /** The whole session as a file. A line that breaks in the middle fails the reading. */
      export: async (
        id: string,
        query: { format?: ExportFormat } = {},
      ): Promise<ReadableStream<Uint8Array>> =>
        (await open(routes.exportSession, { params: { id }, query }, '*/*')).body ?? new ReadableStream(),
      /** Resolves once the message is durable; the answer arrives as events. */
      send: (id: string, content: Content, sending: { idempotencyKey?: string } = {}) =>
        sendMessage(id, content, sending.idempotencyKey),
      /** Sends and yields the events of that turn, up to its end. A broken line ends the iteration, not the turn. */
      stream: (id: string, content: Content, signal?: AbortSignal) =>
        stream(routes.sendMessage, { params: { id }, body: { content }, ...(signal && { signal }) }),
      events: readEvents,
      /** Stops the turn under way. With `turnId`, takes back the message of that one, if it is still queued. */
      interrupt: (id: string, body?: { turnId?: string }) =>
        request(routes.interrupt, { params: { id }, ...(body && { body }) }),
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
    ...createAgentCalls(request),
    models: { list: (query: { provider?: string } = {}) => request(routes.listModels, { query }) },
    roles: { list: (query: { cwd?: string } = {}) => request(routes.listRoles, { query }) },
    trust: {
      look: (query: { cwd?: string } = {}) => request(routes.lookAtTrust, { query }),
      trust: (body: { cwd?: string; hash: string }) => request(routes.trust, { body }),
    },
    audit: {
      list: (query: Partial<z.infer<(typeof routes)['listAudit']['query']>> = {}) =>
        request(routes.listAudit, { query }),
      verify: () => request(routes.verifyAudit),
    },
    usage: {
      read: (query: Partial<z.infer<(typeof routes)['readUsage']['query']>> = {}) =>
        request(routes.readUsage, { query }),
    },
    config: {
      read: () => request(routes.readConfig),
      /** The part that is to be another; `null` for what is to be the default. */
      change: (body: ChangeConfig) => request(routes.changeConfig, { body }),
    },
    createLoginLink: (body: { minutes?: number } = {}) => request(routes.createLogin, { body }),
    /** For a page: trades the code of a login link for a token that works in this page only. */
    logIn: (code: string, signal?: AbortSignal) =>
      request(routes.logIn, { body: { code }, credentials: 'omit', ...(signal && { signal }) }),
    /** Resolves when the file is whole; a large home takes its time. */
    backup: (body: { path?: string } = {}) => request(routes.createBackup, { body }),
    /** What is wrong with the server's machine and home, if anything. */
    diagnose: () => request(routes.diagnose),
    /** Words and nothing else: no character in `q` has a meaning of its own. */
    search: async (query: { q: string; limit?: number; after?: string }) =>
      request(routes.search, { query: requireQuery(query) }),
    /** The events of all sessions, each once and with its position, across broken lines. */
    events: readAllEvents,
    openApi: () => request(routes.readOpenApi),
    /** One line for everything: any number of logs, and messages, answers and interrupts. Comes back when it breaks. */
    socket: (handlers: SocketWishes = {}): ClientSocket =>
      createSocket({
        ...options,
        ...handlers,
        probe: () => open(routes.openSocket, {}, 'application/json'),
        post: sendMessage,
      }),
  };
}

/** A program in JavaScript may give the words alone. */
function requireQuery<T extends { q: string }>(query: T): T {
  if (typeof query === 'object' && query !== null && typeof query.q === 'string') return query;
  throw new ToolyardError('invalid_request', 'Pass an object to search: search({ q: "words" }).');
}

/** A type, not an interface: a query is any record of words. */
type Page = {
  limit?: number;
  after?: string;
};

/** Agents, runs and tasks, as the client calls them. */
function createAgentCalls(request: ReturnType<typeof createCarrier>['request']) {
  return {
    agents: {
      /** The live ones, unless `all` is asked for. */
      list: ({
        all,
        ...query
      }: Page & { all?: boolean; taskSlug?: string; runId?: string; rootSessionId?: string } = {}) =>
        request(routes.listAgents, { query: { ...query, ...(!all && { live: 'true' }) } }),
      get: (id: string) => request(routes.getAgent, { params: { id } }),
      draft: (body: z.input<(typeof routes)['draftAgent']['body']>) => request(routes.draftAgent, { body }),
      await: (id: string, body: { timeoutSeconds?: number } = {}, signal?: AbortSignal) =>
        request(routes.awaitAgent, { params: { id }, body, ...(signal && { signal }) }),
      kill: (id: string) => request(routes.killAgent, { params: { id } }),
    },
    runs: { get: (id: string) => request(routes.getRun, { params: { id } }) },
    tasks: {
      list: (query: Page & { status?: 'open' | 'closed' } = {}) => request(routes.listTasks, { query }),
      get: (slug: string, query: Page = {}) => request(routes.getTask, { params: { slug }, query }),
      create: (body: CreateTask) => request(routes.createTask, { body }),
      context: (slug: string, query: { maxTokens?: number } = {}) =>
        request(routes.getTaskContext, { params: { slug }, query }),
      close: (slug: string, body: CloseTask = {}) => request(routes.closeTask, { params: { slug }, body }),
    },
  };
}
