// One HTTP exchange with /mcp. Uses node:http, because a call may wait for a person longer than the timeout of `fetch`.
import { Agent, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { readSse } from '@toolyard/sdk';

export interface Exchange {
  status: number;
  sessionId: string | undefined;
  /** The messages of the answer, in order. */
  messages(): AsyncGenerator<unknown>;
}

export interface Sending {
  method: 'POST' | 'GET' | 'DELETE';
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  signal: AbortSignal;
}

const agent = new Agent({ keepAlive: true });

/** Resolves when the server begins to answer. */
export async function exchange(url: URL, { method, headers, body, signal }: Sending): Promise<Exchange> {
  const accept = 'application/json, text/event-stream';
  const all = { accept, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, agent, signal, headers: all }, resolve).on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const sessionId = response.headers['mcp-session-id'];
  return {
    status: response.statusCode ?? 0,
    sessionId: typeof sessionId === 'string' ? sessionId : undefined,
    messages: () => readMessages(response),
  };
}

async function* readMessages(response: IncomingMessage): AsyncGenerator<unknown> {
  const type = response.headers['content-type'] ?? '';
  if (type.startsWith('text/event-stream')) {
    // Node's own type for a web stream, which the DOM's does not know.
    const body = Readable.toWeb(response) as ReadableStream<Uint8Array>;
    for await (const { data } of readSse(body)) if (data) yield JSON.parse(data);
  } else if (type.startsWith('application/json')) {
    const answer: unknown = await json(response);
    if (Array.isArray(answer)) yield* answer;
    else yield answer;
  } else response.resume();
}
