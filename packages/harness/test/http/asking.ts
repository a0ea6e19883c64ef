// Asks a yard in memory over its real HTTP app, and reads event streams as a client does.
import { type Event, parseEvent, readSse } from '@toolyard/sdk';
import type { Yard } from '../../src/app.ts';

export interface Asking {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Sends a request with the token; a body goes out as JSON. */
export function ask(yard: Yard, path: string, { method, headers, body }: Asking = {}): Promise<Response> {
  const init = {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${yard.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  return yard.fetch(new Request(`http://127.0.0.1${path}`, init));
}

/** A good answer's status and JSON. */
export async function askJson(yard: Yard, path: string, asking?: Asking) {
  const response = await ask(yard, path, asking);
  return { status: response.status, body: await response.json() };
}

/** The events of a stream until it ends or `isLast`. */
export async function readStream(
  response: Response,
  isLast: (event: Event) => boolean = () => false,
): Promise<Event[]> {
  const events: Event[] = [];
  if (!response.body) return events;
  for await (const message of readSse(response.body)) {
    const event = parseEvent(JSON.parse(message.data));
    events.push(event);
    if (isLast(event)) break;
  }
  return events;
}
