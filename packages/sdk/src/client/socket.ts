// The client's side of `/api/ws`: one line for any number of logs and for what a person sends. It comes back when it
// breaks, goes on where it was, and sends nothing twice that must not be.
import type { z } from 'zod';
import { createUuid } from '../lib/uuid.ts';
import type { AnswerApproval, Approval } from '../protocol/approval.ts';
import type { Content } from '../protocol/content/content.ts';
import { ToolyardError } from '../protocol/error.ts';
import { type Event, isDeletion, type PlacedEvent, parseEvent } from '../protocol/event.ts';
import type { Answer, Question } from '../protocol/question.ts';
import { routes } from '../protocol/routes/routes.ts';
import { type ClientFrame, largestFrame, ServerFrame, toSocketProtocols } from '../protocol/socket.ts';
import { toToken } from './carrier.ts';
import type { ReadOptions } from './follow.ts';
import { createReconnectingSocket, type SocketConstructor, type SocketState } from './reconnecting-socket.ts';
import { createRequests } from './socket-requests.ts';
import { createSubscription, type Subscription } from './socket-subscription.ts';

export type SocketReadOptions = Pick<ReadOptions, 'after' | 'signal'>;

export interface AllEventsOptions extends SocketReadOptions {
  /** What happens from here on is heard: whatever is read now is not older than that. Called again after each break. */
  onSubscribed?(): void;
}

export interface ClientSocket extends Disposable {
  /** A socket opens by itself as soon as it is made. */
  readonly state: SocketState;
  /** Calls `listener` now and at every change. Returns how to stop that. */
  onState(listener: (state: SocketState) => void): () => void;
  /** A session's log from `after` on, then live: each event once, in order, across breaks. One reader per session. */
  events(sessionId: string, options?: SocketReadOptions): AsyncGenerator<Event>;
  /** The events of all sessions from now on, or past a position. One reader. */
  allEvents(options?: AllEventsOptions): AsyncGenerator<PlacedEvent>;
  /**
   * Resolves once the message is durable. Sent again after a break, it is still taken once; with a key of your own, also
   * when you send it again yourself. A large one goes over HTTP.
   */
  send(sessionId: string, content: Content, sending?: { idempotencyKey?: string }): Promise<Accepted>;
  /** Rejects with `server_unreachable` when the line breaks before the answer to it: look at the approval then. */
  answerApproval(approvalId: string, answer: AnswerApproval): Promise<Approval>;
  answerQuestion(questionId: string, answer: Answer): Promise<Question>;
  interrupt(sessionId: string): Promise<z.infer<(typeof routes)['interrupt']['response']>>;
  /** A broken line, or one that waits for a login, is tried again at once: for whoever knows that waiting is over. */
  wake(): void;
  /** Ends readers and rejects whatever is not answered yet. */
  close(): void;
}

export interface SocketWishes {
  /**
   * The login is over. With it, the socket does not close then: it stays `retrying`, and `wake` tries again once there is
   * another login: with a `token` that is a function, it is asked again. Readers go on where they were.
   */
  onUnauthorized?(): void;
}

export interface SocketOptions extends SocketWishes {
  baseUrl: string;
  token?: string | (() => string | undefined);
  via?: string;
  WebSocket?: SocketConstructor;
  probe(): Promise<unknown>;
  /** Sends a message over HTTP: one that is too large for a frame. */
  post: PostMessage;
}

type Accepted = z.infer<(typeof routes)['sendMessage']['response']>;
type PostMessage = (sessionId: string, content: Content, idempotencyKey: string) => Promise<Accepted>;

const everything = '';

export function createSocket(options: SocketOptions): ClientSocket {
  const readers = new Map<string, Subscription>();
  const connection = createReconnectingSocket({
    connect: () => connect(options),
    probe: options.probe,
    onUnauthorized: options.onUnauthorized,
    onOpen() {
      for (const reader of readers.values()) reader.begin();
      requests.sendAll();
    },
    onText,
    onLost() {
      for (const reader of readers.values()) reader.lost();
      requests.lost();
    },
    onEnd(reason) {
      for (const reader of [...readers.values()]) reader.end(reason);
      requests.end(reason ?? closedError());
    },
  });
  const requests = createRequests(connection.send, () => connection.state === 'open');

  function onText(text: string): void {
    try {
      take(parseFrame(text));
    } catch (cause) {
      const message = 'The server sent an invalid frame. Is it a Toolyard server of another version?';
      connection.close(new ToolyardError('malformed_response', message, { cause }));
    }
  }

  function take(frame: ServerFrame | undefined): void {
    if (frame?.type === 'event') {
      const { event, position } = frame;
      const key = position === undefined ? event.sessionId : everything;
      readers.get(key)?.receive({ position: position ?? event.seq, event });
    } else if (frame?.type === 'events') {
      for (const event of frame.events) readers.get(event.sessionId)?.receive({ position: event.seq, event });
    } else if (frame?.type === 'resync') {
      const reader = readers.get(frame.sessionId ?? everything);
      reader?.lost();
      reader?.begin();
    } else if (frame?.type === 'ack') {
      readers.get(frame.sessionId ?? everything)?.acknowledged(frame.ref, frame.after);
      requests.answered(frame);
    } else if (frame?.type === 'error') {
      const { code, message, data } = frame.error;
      const reason = new ToolyardError(code, message, data ? { data } : {});
      for (const reader of [...readers.values()]) reader.refused(frame.ref, reason);
      requests.refused(frame.ref, reason);
    }
  }

  /** Begins at once: what is sent after this call is seen. */
  function read<T>(
    sessionId: string | undefined,
    { after, signal, onSubscribed }: AllEventsOptions,
    select: (placed: PlacedEvent) => T,
  ): AsyncGenerator<T> {
    const key = sessionId ?? everything;
    if (readers.has(key)) throw new ToolyardError('invalid_request', 'This socket already reads that log.');
    const whose = sessionId === undefined ? {} : { sessionId };
    const batch = sessionId !== undefined && { batch: true };
    const { subscription, items } = createSubscription({
      after,
      signal,
      select,
      isLast: ({ event }) => sessionId !== undefined && isDeletion(event),
      ask(from) {
        if (connection.state !== 'open') return undefined;
        const ref = requests.newRef();
        connection.send(JSON.stringify({ type: 'subscribe', ref, ...whose, ...batch, after: from }));
        return ref;
      },
      leave() {
        if (connection.state === 'open') connection.send(JSON.stringify({ type: 'unsubscribe', ...whose }));
      },
      onAcknowledged: onSubscribed,
      onClosed: () => void readers.delete(key),
    });
    if (connection.state === 'closed') subscription.end(closedError());
    else if (!signal?.aborted) readers.set(key, subscription);
    subscription.begin();
    return items;
  }

  async function ask<R extends z.ZodType>(schema: R, frame: ClientFrame, isRepeatable: boolean) {
    return schema.parse(await requests.ask(frame, { isRepeatable }));
  }

  return {
    get state() {
      return connection.state;
    },
    onState: connection.onState,
    events: (sessionId, reading = {}) => read(sessionId, { after: 0, ...reading }, ({ event }) => event),
    allEvents: (reading = {}) => read(undefined, reading, (placed) => placed),
    send(sessionId, content, { idempotencyKey = createUuid() } = {}) {
      const frame: ClientFrame = { type: 'message', sessionId, content, idempotencyKey };
      if (isTooLarge(frame)) return options.post(sessionId, content, idempotencyKey);
      return ask(routes.sendMessage.response, frame, true);
    },
    async answerApproval(approvalId, answer) {
      const { approval } = await requests.ask({ type: 'approval', approvalId, ...answer }, once);
      return routes.answerApproval.response.parse(approval);
    },
    async answerQuestion(questionId, answer) {
      const { question } = await requests.ask({ type: 'question', questionId, answer }, once);
      return routes.answerQuestion.response.parse(question);
    },
    interrupt: (sessionId) => ask(routes.interrupt.response, { type: 'interrupt', sessionId }, true),
    wake: connection.wake,
    close: () => connection.close(),
    [Symbol.dispose]: () => connection.close(),
  };
}

const once = { isRepeatable: false };

function closedError(): ToolyardError {
  return new ToolyardError('interrupted', 'The socket was closed.');
}

/** With room for the name that it is given. */
function isTooLarge(frame: ClientFrame): boolean {
  return new TextEncoder().encode(JSON.stringify(frame)).length > largestFrame - 100;
}

function connect({ baseUrl, via, WebSocket = globalThis.WebSocket, ...options }: SocketOptions) {
  if (!WebSocket) {
    throw new ToolyardError('invalid_request', 'This platform has no WebSocket. Pass one to the client.');
  }
  const url = new URL(routes.openSocket.path, baseUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(url.href, toSocketProtocols({ token: toToken(options), via }));
}

/** A frame of a newer server that this version does not know is passed over. */
function parseFrame(text: string): ServerFrame | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  if (value.type === 'event' && 'event' in value) {
    const position = 'position' in value && typeof value.position === 'number' ? value.position : undefined;
    return { type: 'event', event: parseEvent(value.event), ...(position !== undefined && { position }) };
  }
  if (value.type === 'events' && 'events' in value && Array.isArray(value.events))
    return { type: 'events', events: value.events.map(parseEvent) };
  return ServerFrame.safeParse(value).data;
}
