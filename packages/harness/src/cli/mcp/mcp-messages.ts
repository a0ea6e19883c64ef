// JSON-RPC messages from stdin to /mcp: the fields that the bridge reads, and the HTTP headers that it sends.
import { z } from 'zod';

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** The fields that matter here; all others pass through unchanged. */
const Message = z.looseObject({
  jsonrpc: z.string().optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  params: z
    .looseObject({ _meta: z.looseObject({ [versionKey]: z.string().optional() }).optional() })
    .optional(),
  result: z.unknown().optional(),
});
export type Message = z.infer<typeof Message>;

export function parseMessage(value: unknown): Message | undefined {
  return Message.safeParse(value).data;
}

/** The protocol revision in the message itself, as in every request since 2026-07-28. */
export function toRevision({ params }: Message): string | undefined {
  return params?._meta?.[versionKey];
}

/** Id of the request that a notification cancels. */
export function toCancelled({ method, params }: Message): unknown {
  return method === 'notifications/cancelled' ? params?.requestId : undefined;
}

/** The headers that the newer protocol requires in addition to the body. */
export function toHeaders(message: Message): Record<string, string> {
  const revision = toRevision(message);
  if (revision === undefined || message.method === undefined) return {};
  const field = nameFields[message.method];
  const name = field && message.params?.[field];
  return {
    'mcp-protocol-version': revision,
    'mcp-method': message.method,
    ...(typeof name === 'string' && { 'mcp-name': toHeaderValue(name) }),
  };
}

const nameFields: Readonly<Record<string, string>> = { 'tools/call': 'name' };

function toHeaderValue(text: string): string {
  const isPlain = /^[\x21-\x7e]+$/.test(text) && !text.startsWith('=?');
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The error answer to a request that did not reach the server. */
export function toErrorAnswer(id: Message['id'], message: string, code = -32000): object {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } };
}
