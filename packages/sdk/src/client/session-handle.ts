// A session with its calls on it, over any client. Nothing here that the client cannot do: it only remembers the id.

import type { Content } from '../protocol/content/content.ts';
import { ToolyardError } from '../protocol/error.ts';
import type { Event } from '../protocol/event.ts';
import type {
  ChangeSession,
  CreateSession,
  ExportFormat,
  ForkSession,
  Session,
} from '../protocol/session.ts';
import type { Client } from './client.ts';
import type { ReadOptions } from './follow.ts';
import { createSentTurn, type SentTurn } from './sent-turn.ts';

export interface SendOptions {
  /** Interrupts the turn; what it did until then stays. */
  signal?: AbortSignal;
  /** A message with the same key and content is taken once. */
  idempotencyKey?: string;
}

type Sessions = Client['sessions'];

/** A session as it was when it was asked for, and what can be done with it. `get` asks again. */
export interface SessionHandle extends Session {
  get(): Promise<SessionHandle>;
  /** Sends at once, whether or not the turn is read. Leaving the loop early leaves the turn to itself. */
  send(content: Content, options?: SendOptions): SentTurn;
  /** Stops the turn under way and resolves when it has ended. */
  interrupt(): ReturnType<Sessions['interrupt']>;
  /** Goes on with the last turn from where it stopped. */
  retry(options?: Pick<SendOptions, 'signal'>): SentTurn;
  change(body: ChangeSession): Promise<SessionHandle>;
  context(): ReturnType<Sessions['context']>;
  /** The log of the session from `after` on, then live, until the signal aborts. */
  events(options?: ReadOptions): AsyncGenerator<Event>;
  /** Another session that goes on from a part of this one; without `at`, from all of it. */
  fork(body?: ForkSession): Promise<SessionHandle>;
  /** The whole session as a file. */
  export(query?: { format?: ExportFormat }): Promise<ReadableStream<Uint8Array>>;
  delete(): ReturnType<Sessions['delete']>;
}

/** A client whose sessions have their calls on them. Everything else is as it was. */
export interface HandledClient extends Omit<Client, 'sessions'> {
  sessions: Omit<Sessions, 'create' | 'get' | 'fork'> & {
    create(body?: CreateSession): Promise<SessionHandle>;
    get(id: string): Promise<SessionHandle>;
    fork(id: string, body?: ForkSession): Promise<SessionHandle>;
  };
}

export function withSessionHandles(client: Client): HandledClient {
  const { sessions } = client;
  return {
    ...client,
    sessions: {
      ...sessions,
      create: async (body) => toHandle(sessions, await sessions.create(body)),
      get: async (id) => toHandle(sessions, await sessions.get(id)),
      fork: async (id, body) => toHandle(sessions, await sessions.fork(id, body)),
    },
  };
}

function toHandle(sessions: Sessions, session: Session): SessionHandle {
  const { id } = session;
  const begin = (send: () => SentTurn['accepted'], signal?: AbortSignal) => {
    const accepted = signal?.aborted ? Promise.reject(notSent(signal)) : send();
    return createSentTurn({ sessions, sessionId: id, accepted, signal });
  };
  return {
    ...session,
    get: async () => toHandle(sessions, await sessions.get(id)),
    send: (content, { signal, ...sending } = {}) => begin(() => sessions.send(id, content, sending), signal),
    interrupt: () => sessions.interrupt(id),
    retry: ({ signal } = {}) => begin(() => sessions.retry(id), signal),
    change: async (body) => toHandle(sessions, await sessions.change(id, body)),
    context: () => sessions.context(id),
    events: (options) => sessions.events(id, options),
    fork: async (body) => toHandle(sessions, await sessions.fork(id, body)),
    export: (query) => sessions.export(id, query),
    delete: () => sessions.delete(id),
  };
}

function notSent({ reason: cause }: AbortSignal): ToolyardError {
  return new ToolyardError('interrupted', 'Nothing was sent: the signal was already aborted.', { cause });
}
