// The request side of the Messages API, checked as strictly as the real service checks it, so that a wrong
// transcript fails here and not first in production. Says nothing about what to answer.
import { z } from 'zod';
import { Message, toRefusal } from './message.ts';
import { invalid, Refusal } from './refusal.ts';
import { type Turn, toTurns } from './turns.ts';

const Tool = z.looseObject({
  type: z.string().nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  input_schema: z.looseObject({ type: z.literal('object') }).optional(),
});

const CountTokensRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).max(10_000).optional(),
});
const MessagesRequest = CountTokensRequest.extend({
  max_tokens: z.int().min(1),
  stream: z.boolean().optional(),
});
export type MessagesRequest = z.infer<typeof MessagesRequest>;

export interface CheckedRequest {
  request: z.infer<typeof CountTokensRequest>;
  isStream: boolean;
  turns: Turn[];
}

export function parseMessagesRequest(raw: unknown): CheckedRequest | Refusal {
  const parsed = MessagesRequest.safeParse(raw);
  return parsed.success ? check(parsed.data, parsed.data.stream === true) : toRefusal(parsed.error);
}

/** The same checks without `max_tokens`, which a token count does not need. */
export function parseCountTokensRequest(raw: unknown): CheckedRequest | Refusal {
  const parsed = CountTokensRequest.safeParse(raw);
  return parsed.success ? check(parsed.data, false) : toRefusal(parsed.error);
}

function check(request: z.infer<typeof CountTokensRequest>, isStream: boolean): CheckedRequest | Refusal {
  const wrongTool = checkTools(request.tools ?? []);
  if (wrongTool) return wrongTool;
  const turns = toTurns(request.messages);
  return turns instanceof Refusal ? turns : { request, isStream, turns };
}

function checkTools(tools: z.infer<typeof Tool>[]): Refusal | undefined {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const isCustom = tool.type === undefined || tool.type === null || tool.type === 'custom';
    if (isCustom && !tool.input_schema) return invalid(`tools.${index}.input_schema: Field required`);
    if (names.has(tool.name)) return invalid(`tools.${index}.name: Tool names must be unique: ${tool.name}`);
    names.add(tool.name);
  }
  return undefined;
}
