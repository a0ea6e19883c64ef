// OpenAI's chat completions, as OpenAI speaks them and, with thoughts, as its likenesses do.
import { z } from 'zod';
import type { Frame } from '../../../../src/rehearsal/reply/frames.ts';
import type { Reply } from '../../../../src/rehearsal/reply/reply.ts';
import { Refusal } from '../../../../src/rehearsal/request/refusal.ts';
import { FileName, ImageUrl, PdfUrl, splitDataUrl, toDocumentBlock, toImageBlock } from './attachments.ts';
import type { DoubleWire, Heard, HeardMessage } from './double.ts';
import { checkDoor, ToolName, toComplaint, toOpenAiRefusal, toResult } from './openai-errors.ts';

const ToolCall = z.strictObject({
  id: z.string().min(1).max(64),
  type: z.literal('function'),
  function: z.strictObject({ name: ToolName, arguments: z.string() }),
});
const TextPart = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
const ImagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: ImageUrl }),
});
const FilePart = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({ filename: FileName, file_data: PdfUrl }),
});
const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, FilePart]);
const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('developer'), content: z.string() }),
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string().min(1), z.array(UserPart).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(ToolCall).min(1).optional(),
    // Likenesses take their models' thoughts back; OpenAI has none to take.
    reasoning_content: z.string().optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);
type Message = z.infer<typeof Message>;

const Body = z.strictObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.literal(true) }),
  prompt_cache_key: z.string().max(64).optional(),
  reasoning_effort: z.literal('none').optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: ToolName,
          description: z.string().optional(),
          parameters: z.looseObject({ type: z.literal('object') }),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z.string().optional(),
});

/** OpenAI's own. It has no thoughts to show. */
export const openaiChat: DoubleWire = createChat({ needsKey: true, thinks: false });
/** A likeness of it without a key, such as runs on a person's own machine. */
export const openaiLike: DoubleWire = createChat({ needsKey: false, thinks: true });

function createChat({ needsKey, thinks }: { needsKey: boolean; thinks: boolean }): DoubleWire {
  return {
    base: '/v1',
    hear(asked) {
      const refused = checkDoor(asked, '/v1/chat/completions', needsKey);
      if (refused) return refused;
      const body = Body.safeParse(asked.body);
      if (!body.success) return toComplaint(body.error);
      const { messages } = body.data;
      // A likeness takes words and pictures; what it would do with a file nobody knows.
      if (thinks && messages.some(hasFile)) return new Refusal(400, "Invalid value: 'file'.");
      if (!thinks && messages.some((message) => 'reasoning_content' in message))
        return new Refusal(400, "Unknown parameter: 'messages.reasoning_content'.");
      return checkCalls(messages) ?? toHeard(body.data);
    },
    refuse: toOpenAiRefusal,
    speak: (reply) => speak(reply, thinks),
    write: (event) => `data: ${JSON.stringify(event)}\n\n`,
    end: 'data: [DONE]\n\n',
  };
}

function checkCalls(messages: Message[]): Refusal | undefined {
  let open = new Set<string>();
  const unanswered = () =>
    new Refusal(
      400,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following did not have response messages: ${[...open].join(', ')}`,
    );
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id))
        return new Refusal(
          400,
          "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        );
      continue;
    }
    if (open.size > 0) return unanswered();
    if (message.role !== 'assistant') continue;
    if (!message.content && !message.tool_calls)
      return new Refusal(400, 'content is null and there are no tool_calls');
    open = new Set(message.tool_calls?.map(({ id }) => id));
  }
  return open.size > 0 ? unanswered() : undefined;
}

function toHeard({ model, messages, tools = [] }: z.infer<typeof Body>): Heard {
  return {
    model,
    messages: messages.flatMap(toMessages),
    tools: tools.map(({ function: { name, parameters } }) => ({ name, input_schema: parameters })),
  };
}

function hasFile({ role, content }: Message): boolean {
  return role === 'user' && typeof content !== 'string' && content.some(({ type }) => type === 'file');
}

function toBlock(part: z.infer<typeof UserPart> | { type: string; text: string }): Record<string, unknown> {
  if ('image_url' in part) return toImageBlock(part.image_url.url);
  if (!('file' in part)) return part;
  const { filename, file_data } = part.file;
  return toDocumentBlock(filename, splitDataUrl(file_data).data);
}

function toMessages(message: Message): HeardMessage[] {
  if (message.role === 'developer' || message.role === 'system') return [];
  if (message.role === 'tool')
    return [{ role: 'user', content: [toResult(message.tool_call_id, message.content)] }];
  if (message.role === 'user') {
    const parts =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    return [{ role: 'user', content: parts.map(toBlock) }];
  }
  const words = message.content ? [{ type: 'text', text: message.content }] : [];
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: json } }) => ({
    type: 'tool_use',
    id,
    name,
    input: JSON.parse(json),
  }));
  return [{ role: 'assistant', content: [...words, ...calls] }];
}

function speak(reply: Reply, thinks: boolean): (frame: Frame) => object[] {
  const chunk = (choice: object) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: reply.model,
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  });
  const usage = {
    prompt_tokens: reply.inputTokens,
    completion_tokens: reply.outputTokens,
    total_tokens: reply.inputTokens + reply.outputTokens,
  };
  const calls = reply.blocks.filter((block) => block.type === 'tool_use');
  return (frame) => {
    const block = reply.blocks[Number(frame.data.index ?? 0)];
    if (frame.event === 'message_start') return [chunk({ delta: { role: 'assistant', content: '' } })];
    if (frame.event === 'message_delta')
      return [
        chunk({ finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }),
        { ...chunk({}), choices: [], usage },
      ];
    if (block?.type === 'tool_use') {
      const delta = toCallDelta(frame, block, calls.indexOf(block));
      return delta ? [chunk({ delta: { tool_calls: [delta] } })] : [];
    }
    if (frame.event !== 'content_block_delta' || !block) return [];
    const { text, thinking } = Object(frame.data.delta);
    if (thinking && thinks) return [chunk({ delta: { reasoning_content: thinking } })];
    if (!text) return [];
    return [chunk({ delta: reply.stopReason === 'refusal' ? { refusal: text } : { content: text } })];
  };
}

function toCallDelta(
  frame: Frame,
  { id, name, inputJson }: { id: string; name: string; inputJson: string },
  index: number,
): object | undefined {
  // An empty input is written as one, and at once.
  if (frame.event === 'content_block_start')
    return { index, id, type: 'function', function: { name, arguments: inputJson === '{}' ? '{}' : '' } };
  const json: unknown = Object(frame.data.delta).partial_json;
  return frame.event === 'content_block_delta' && json ? { index, function: { arguments: json } } : undefined;
}
