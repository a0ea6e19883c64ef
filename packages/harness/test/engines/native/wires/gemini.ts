// Google's Gemini API: contents in, whole calls out. A call of the newer models carries a signature that must come back.
import { z } from 'zod';
import type { Frame } from '../../../../src/rehearsal/reply/frames.ts';
import type { Reply } from '../../../../src/rehearsal/reply/reply.ts';
import { Refusal } from '../../../../src/rehearsal/request/refusal.ts';
import { isGenuine, sign } from '../../../../src/rehearsal/request/signature.ts';
import { isImage, isPdf, toDocumentBlock } from './attachments.ts';
import type { DoubleWire, Heard, Refused } from './double.ts';
import { toComplaint } from './openai-errors.ts';

const Part = z.union([
  z.strictObject({
    text: z.string(),
    thought: z.literal(true).optional(),
    thoughtSignature: z.string().optional(),
  }),
  z.strictObject({
    functionCall: z.strictObject({
      id: z.string().optional(),
      name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
      args: z.record(z.string(), z.unknown()),
    }),
    thoughtSignature: z.string().optional(),
  }),
  z.strictObject({ inlineData: z.strictObject({ mimeType: z.string(), data: z.string() }).refine(isTaken) }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name: z.string().min(1),
      response: z.record(z.string(), z.unknown()),
    }),
  }),
]);
type Part = z.infer<typeof Part>;

/** It takes no GIF, and a PDF without its name. */
function isTaken({ mimeType, data }: { mimeType: string; data: string }): boolean {
  return isPdf(mimeType, data) || (mimeType !== 'image/gif' && isImage(mimeType, data));
}

const Body = z.strictObject({
  contents: z.array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(Part).min(1) })).min(1),
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1) })
    .optional(),
  generationConfig: z.strictObject({ maxOutputTokens: z.int().optional() }).optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: z.string(),
            description: z.string(),
            parametersJsonSchema: z.looseObject({ type: z.literal('object') }),
          }),
        ),
      }),
    )
    .optional(),
  toolConfig: z.looseObject({}).optional(),
});
type Body = z.infer<typeof Body>;

const route = /^\/v1beta\/models\/([\w.-]+):streamGenerateContent\?alt=sse$/;

export const gemini: DoubleWire = {
  base: '/v1beta',
  hear({ path, headers, body: raw }) {
    const [, model] = route.exec(path) ?? [];
    if (!model) return new Refusal(404, `models/${path} is not found for API version v1beta.`);
    if (headers['x-goog-api-key'] !== 'a-key')
      return new Refusal(401, 'API key not valid. Please pass a valid API key.');
    const body = Body.safeParse(raw);
    if (!body.success) return toComplaint(body.error);
    return checkContents(body.data) ?? toHeard(model, body.data);
  },
  refuse: toRefused,
  speak,
  write: (event) => `data: ${JSON.stringify(event)}\n\n`,
};

/** A wrong key is a bad request here, and how long to wait stands in the body. */
function toRefused({ status, message, retryAfter }: Refusal): Refused {
  if (status === 401) {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
    return { status: 400, body: { error: { code: 400, message, status: 'INVALID_ARGUMENT', details } } };
  }
  const [code, name] =
    status === 529
      ? [503, 'UNAVAILABLE']
      : [status, status === 429 ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT'];
  const wait = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` };
  const details = retryAfter === undefined ? [] : [wait];
  return { status: code, body: { error: { code, message, status: name, details } } };
}

function checkContents({ contents }: Body): Refusal | undefined {
  let open = 0;
  // Only calls since the person last spoke must be signed.
  const spoken = contents.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some((part) => 'text' in part),
  );
  for (const [at, { role, parts }] of contents.entries()) {
    const calls = parts.filter((part) => 'functionCall' in part);
    const answers = parts.filter((part) => 'functionResponse' in part);
    if (role === 'user' && answers.length !== open)
      return new Refusal(
        400,
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    if (role === 'model' && (answers.length > 0 || open > 0))
      return new Refusal(
        400,
        'Please ensure that function response turn comes immediately after a function call turn.',
      );
    if (at === 0 && role === 'model')
      return new Refusal(400, 'Please ensure that the first turn is a user turn.');
    const [first] = calls;
    if (first && at > spoken && !isSigned(first))
      return new Refusal(
        400,
        `Function call is missing a thought_signature in functionCall parts. Function call \`${first.functionCall.name}\`, position ${at}.`,
      );
    open = calls.length;
  }
  return open > 0
    ? new Refusal(
        400,
        'Please ensure that function response turn comes immediately after a function call turn.',
      )
    : undefined;
}

/** The first call of an answer is signed. What the model itself wrote wrong cannot come back as it was. */
function isSigned({
  functionCall: { name, args },
  thoughtSignature,
}: Extract<Part, { functionCall: unknown }>): boolean {
  // A stand-in for a signature that was lost is known to the service, and here no better than none.
  if (!thoughtSignature?.startsWith('rehearsal.')) return false;
  return 'unreadable' in args || isGenuine(`${name} ${JSON.stringify(args)}`, thoughtSignature);
}

function toHeard(model: string, { contents, tools = [] }: Body): Heard {
  return {
    model,
    messages: contents.map(({ role, parts }) => ({
      role: role === 'model' ? 'assistant' : 'user',
      content: parts.flatMap(toBlocks),
    })),
    tools: tools.flatMap(({ functionDeclarations }) =>
      functionDeclarations.map(({ name, parametersJsonSchema }) => ({
        name,
        input_schema: parametersJsonSchema,
      })),
    ),
  };
}

function toBlocks(part: Part): Record<string, unknown>[] {
  if ('text' in part) return part.thought || part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if ('inlineData' in part) {
    const { mimeType, data } = part.inlineData;
    if (isPdf(mimeType, data)) return [toDocumentBlock(undefined, data)];
    return [{ type: 'image', source: { type: 'base64', media_type: mimeType, data } }];
  }
  if ('functionCall' in part) {
    const { id, name, args } = part.functionCall;
    return [{ type: 'tool_use', id, name, input: args }];
  }
  const { id, response } = part.functionResponse;
  const { content, error } = z
    .object({ content: z.string().optional(), error: z.string().optional() })
    .parse(response);
  return [{ type: 'tool_result', tool_use_id: id, content: error ?? content, is_error: error !== undefined }];
}

function speak(reply: Reply): (frame: Frame) => object[] {
  const chunk = (parts: object[], more: object = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: reply.model,
    responseId: reply.id,
  });
  const usageMetadata = {
    promptTokenCount: reply.inputTokens,
    candidatesTokenCount: reply.outputTokens,
    totalTokenCount: reply.inputTokens + reply.outputTokens,
  };
  let json = '';
  return (frame) => {
    const block = reply.blocks[Number(frame.data.index ?? 0)];
    const { text, thinking, partial_json: piece } = Object(frame.data.delta);
    if (frame.event === 'message_delta') {
      const finishReason = reply.stopReason === 'refusal' ? 'SAFETY' : 'STOP';
      return [{ ...chunk([{ text: '' }], { finishReason }), usageMetadata }];
    }
    if (frame.event === 'content_block_start') json = '';
    if (piece) json += piece;
    if (text) return [chunk([{ text }])];
    if (thinking) return [chunk([{ text: thinking, thought: true }])];
    if (frame.event !== 'content_block_stop' || block?.type !== 'tool_use') return [];
    const { id, name, inputJson } = block;
    const thoughtSignature = sign(`${name} ${inputJson}`);
    // A broken input is no object, so it comes as the text it is.
    const args: unknown = json === '' || json === inputJson ? JSON.parse(inputJson) : json;
    return [chunk([{ functionCall: { id, name, args }, thoughtSignature }])];
  };
}
