// A model endpoint whose every answer is written out in the test, down to the bytes. Remembers what it was asked.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type WireAnswer = (response: ServerResponse) => void;

export interface ModelServer extends AsyncDisposable {
  url: string;
  /** Request bodies in order. */
  requests: Record<string, unknown>[];
  headers: IncomingHttpHeaders[];
}

/** Serves the answers in order; the last one again and again. */
export async function serveModel(...answers: [WireAnswer, ...WireAnswer[]]): Promise<ModelServer> {
  const requests: Record<string, unknown>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push(JSON.parse(body));
    headers.push(request.headers);
    (answers[requests.length - 1] ?? answers.at(-1))?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const streaming = { 'content-type': 'text/event-stream' };

/** A whole stream, then the end. */
export function wire(text: string): WireAnswer {
  return (response) => response.writeHead(200, streaming).end(text);
}

/** The beginning of a stream that then says nothing more. */
export function wireAndSilence(text: string): WireAnswer {
  return (response) => {
    response.writeHead(200, streaming).flushHeaders();
    response.write(text);
  };
}

export function refuse(status: number, body: string, headers: Record<string, string> = {}): WireAnswer {
  return (response) => response.writeHead(status, headers).end(body);
}

export function refuseAs(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
) {
  const body = JSON.stringify({ type: 'error', error: { type, message } });
  return refuse(status, body, { 'content-type': 'application/json', ...headers });
}

/** Cuts the connection without a word. */
export const hangUp: WireAnswer = (response) => response.destroy();

/** The frames of a text answer; `stopReason` ends it. */
export function textFrames(text: string, stopReason = 'end_turn'): string[] {
  return [
    messageStart(),
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    frame({ type: 'content_block_stop', index: 0 }),
    ...messageEnd(stopReason),
  ];
}

export function callFrames(id: string, name: string, json: string): string[] {
  return [
    messageStart(),
    frame({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id, name, input: {} },
    }),
    frame({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } }),
    frame({ type: 'content_block_stop', index: 0 }),
    ...messageEnd('tool_use'),
  ];
}

export function say(text: string): WireAnswer {
  return wire(textFrames(text).join(''));
}

export function call(id: string, name: string, input: unknown): WireAnswer {
  return wire(callFrames(id, name, JSON.stringify(input)).join(''));
}

export function frame(event: { type: string } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function messageStart(): string {
  const usage = {
    input_tokens: 7,
    output_tokens: 1,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 3,
  };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  return frame({ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } });
}

function messageEnd(stopReason: string): string[] {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return [
    frame({ type: 'message_delta', delta, usage: { output_tokens: 5 } }),
    frame({ type: 'message_stop' }),
  ];
}
