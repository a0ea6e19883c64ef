// Requests to /mcp as any program may send them, without a client that keeps to the rules.
import type { McpYard } from './clients.ts';

export const revision = '2026-07-28';

export interface RawRequest {
  token?: string | undefined;
  query?: string;
  headers?: Record<string, string>;
  method?: string;
  signal?: AbortSignal;
}

/** Posts a message, or any text as a body. */
export function send(
  { url, yard }: McpYard,
  body: unknown,
  { token = yard.token, query = '', headers = {}, method = 'POST', signal }: RawRequest = {},
): Promise<Response> {
  return fetch(new URL(`/mcp${query}`, url), {
    method,
    ...(signal && { signal }),
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

export function toInitialize(protocolVersion: string) {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params };
}

/** Opens a session of the older protocol and answers its headers. */
export async function openSession(
  house: McpYard,
  { protocolVersion = '2025-11-25', ...request }: RawRequest & { protocolVersion?: string } = {},
): Promise<Record<string, string>> {
  const response = await send(house, toInitialize(protocolVersion), request);
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

export function toCall(id: number | string, name: string, input: object = {}) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: input } };
}

/** A call that stands alone, with its headers. */
export function toModernCall(id: number, name: string, input: object, more: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const message = {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: input, _meta, ...more },
  };
  const headers = { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': name };
  return { message, headers };
}

export interface Answer {
  id: unknown;
  result?: object;
  error?: { code: number; message?: string };
}

/** The one answer in a response, be it JSON or an event stream. */
export async function answerOf(response: Response): Promise<Answer> {
  return (await answersOf(response)).at(-1) ?? { id: undefined };
}

/** Every message in a response. */
export async function answersOf(response: Response): Promise<Answer[]> {
  const text = await response.text();
  if (text.startsWith('{')) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '{}']) => JSON.parse(data));
}
