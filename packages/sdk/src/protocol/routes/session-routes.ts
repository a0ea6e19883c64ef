// Sessions, messages, turns, events and the search in them. Part of the one table in routes.ts.
import { z } from 'zod';
import { SentContent } from '../content/content.ts';
import {
  ChangeSession,
  CreateSession,
  ExportFormat,
  ForkSession,
  Session,
  SessionContext,
  SessionId,
  TurnId,
} from '../session.ts';
import { type AnyRoute, accepted, inSession, listOf, noBody, none } from './route.ts';

/** A piece of a text; `hit` marks what was looked for. Plain text: whoever shows it must not take it for HTML. */
export const SnippetPart = z.object({ text: z.string(), hit: z.literal(true).optional() });
export type SnippetPart = z.infer<typeof SnippetPart>;

export const SearchHit = z.object({
  sessionId: SessionId,
  /** Of the session. */
  title: z.string(),
  cwd: z.string(),
  /** What was found: the session's title, a person's words, the agent's, or a call and its input. */
  kind: z.enum(['title', 'user', 'text', 'tool']),
  /** Number of the event where it begins; 0 for a title. */
  seq: z.int().nonnegative(),
  at: z.iso.datetime(),
  snippet: z.array(SnippetPart),
});
export type SearchHit = z.infer<typeof SearchHit>;

export const sessionRoutes = {
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
    summary: 'Create a session',
    status: 201,
    params: none,
    query: none,
    body: CreateSession.prefault({}),
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
  changeSession: {
    method: 'PATCH',
    path: '/api/sessions/:id',
    summary: 'Change the title, permission mode or model of a session',
    status: 200,
    params: inSession,
    query: none,
    body: ChangeSession,
    response: Session,
  },
  deleteSession: {
    method: 'DELETE',
    path: '/api/sessions/:id',
    summary: 'Delete a session and all its data; a running turn is interrupted',
    status: 200,
    params: inSession,
    query: none,
    body: noBody,
    response: z.object({ id: SessionId }),
  },
  forkSession: {
    method: 'POST',
    path: '/api/sessions/:id/fork',
    summary: 'Create a session that continues from a part of this one',
    status: 201,
    params: inSession,
    query: none,
    body: ForkSession.prefault({}),
    response: Session,
  },
  exportSession: {
    method: 'GET',
    path: '/api/sessions/:id/export',
    summary: 'The whole session as a file: Markdown to read, or JSON with every event',
    files: ['text/markdown', 'application/json'],
    status: 200,
    params: inSession,
    query: z.strictObject({ format: ExportFormat.default('markdown') }),
    body: noBody,
    response: z.undefined(),
  },
  readContext: {
    method: 'GET',
    path: '/api/sessions/:id/context',
    summary: 'The context of the agent: instructions, tools, and how full its context window is',
    status: 200,
    params: inSession,
    query: none,
    body: noBody,
    response: SessionContext,
  },
  sendMessage: {
    method: 'POST',
    path: '/api/sessions/:id/messages',
    summary: 'Send a message; answers 202 at once, or the turn as it happens for Accept: text/event-stream',
    stream: 'accept',
    // Room for the largest image in base64, and words beside it.
    maxBodyBytes: 8 * 1024 * 1024,
    status: 202,
    params: inSession,
    query: none,
    body: z.strictObject({ content: SentContent }),
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
    summary:
      'Stop the running turn and all agents under the session; or withdraw the message of `turnId` if it is queued',
    status: 200,
    params: inSession,
    query: none,
    body: z.strictObject({ turnId: TurnId.optional() }).optional(),
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
  search: {
    method: 'GET',
    path: '/api/search',
    summary: 'Search for all words of `q`: titles, then messages, answers and calls, newest first',
    status: 200,
    params: none,
    query: z.strictObject({
      /** Words and nothing else: no character in it has a meaning of its own. */
      q: z.string().max(1_000, 'use at most 1000 characters'),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      after: z
        .string()
        .regex(/^-?\d{1,15}$/, 'use the `next` of the previous page')
        .optional(),
    }),
    body: noBody,
    response: listOf(SearchHit).extend({
      /** The index is still being made of what was there before it: there may be more. */
      indexing: z.literal(true).optional(),
    }),
  },
  readAllEvents: {
    method: 'GET',
    path: '/api/events',
    summary: 'The events of all sessions from now on, or after the position `Last-Event-ID` or `?after=`',
    stream: 'always',
    status: 200,
    params: none,
    // A position, as in `Last-Event-ID`; judged with it.
    query: z.strictObject({ after: z.string().optional() }),
    body: noBody,
    response: z.undefined(),
  },
  openSocket: {
    method: 'GET',
    path: '/api/ws',
    summary: 'A WebSocket: events of any session, and messages, answers and interrupts to it',
    status: 101,
    params: none,
    query: none,
    body: noBody,
    response: z.undefined(),
  },
} as const satisfies Record<string, AnyRoute>;
