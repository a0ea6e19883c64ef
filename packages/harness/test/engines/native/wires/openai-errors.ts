// How OpenAI says no: in both of its wires, and in those of its likenesses.
import { z } from 'zod';
import { Refusal } from '../../../../src/rehearsal/request/refusal.ts';
import type { Asked, Refused } from './double.ts';

const types: Record<number, [string, string | null]> = {
  401: ['invalid_request_error', 'invalid_api_key'],
  404: ['invalid_request_error', 'model_not_found'],
  429: ['requests', 'rate_limit_exceeded'],
  503: ['server_error', null],
};

/** Overload is 503 here. */
export function toOpenAiRefusal({ status: asked, message, retryAfter }: Refusal): Refused {
  const status = asked === 529 ? 503 : asked;
  const [type, code] = types[status] ?? ['invalid_request_error', null];
  return {
    status,
    body: { error: { message, type, param: null, code } },
    ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
  };
}

/** The route and the key, before anything is read. */
export function checkDoor({ path, headers }: Asked, route: string, needsKey = true): Refusal | undefined {
  if (path !== route) return new Refusal(404, `Invalid URL (POST ${path})`);
  if (!needsKey || headers.authorization === 'Bearer a-key') return undefined;
  return new Refusal(401, 'Incorrect API key provided.');
}

/** `Unknown parameter: 'foo'.`, or what is wrong with a known one. */
export function toComplaint(error: z.ZodError): Refusal {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') return new Refusal(400, `Unknown parameter: '${issue.keys[0]}'.`);
  return new Refusal(400, `Invalid value at '${issue?.path.join('.')}': ${issue?.message}`);
}

export const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);

/** What a failed call is told as. */
export function toResult(id: string, text: string): Record<string, unknown> {
  const failed = /^\{"error":/.test(text)
    ? z.object({ error: z.string() }).parse(JSON.parse(text)).error
    : undefined;
  return { type: 'tool_result', tool_use_id: id, content: failed ?? text, is_error: failed !== undefined };
}
