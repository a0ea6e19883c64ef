// All sessions at once, and the interface itself. Part of the one table in routes.ts.
import { z } from 'zod';
import { type AnyRoute, noBody, none } from './route.ts';

export const streamRoutes = {
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
    summary: 'A WebSocket: events of any sessions, and messages, answers and interrupts to them',
    status: 101,
    params: none,
    query: none,
    body: noBody,
    response: z.undefined(),
  },
  readOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: z.record(z.string(), z.unknown()),
  },
} as const satisfies Record<string, AnyRoute>;
