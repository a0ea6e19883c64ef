// Sessions, messages and turns. Part of the one table in routes.ts.
import { z } from 'zod';
import { Content } from './content.ts';
import { type AnyRoute, accepted, inSession, listOf, noBody, none } from './route.ts';
import { ChangeSession, CreateSession, Session, SessionId, TurnId } from './session.ts';
import { SessionContext } from './session-context.ts';

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
    summary: 'Open a session',
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
    summary: 'Change its title, permission mode or model',
    status: 200,
    params: inSession,
    query: none,
    body: ChangeSession,
    response: Session,
  },
  readContext: {
    method: 'GET',
    path: '/api/sessions/:id/context',
    summary: 'What the agent of a session is given: instructions, tools, and how full its window is',
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
} as const satisfies Record<string, AnyRoute>;
