// OpenAI's Responses as its service speaks it: items in, events out. Nothing is stored, so an item must come whole.
import { z } from 'zod';
import { Refusal } from '../../../../src/rehearsal/request/refusal.ts';
import { isGenuine } from '../../../../src/rehearsal/request/signature.ts';
import { FileName, ImageUrl, PdfUrl, splitDataUrl, toDocumentBlock, toImageBlock } from './attachments.ts';
import type { DoubleWire, Heard, HeardMessage } from './double.ts';
import { checkDoor, ToolName, toComplaint, toOpenAiRefusal, toResult } from './openai-errors.ts';
import { speakResponses } from './openai-responses-answer.ts';

const InputText = z.strictObject({ type: z.literal('input_text'), text: z.string().min(1) });
const InputImage = z.strictObject({ type: z.literal('input_image'), image_url: ImageUrl });
const InputFile = z.strictObject({ type: z.literal('input_file'), filename: FileName, file_data: PdfUrl });
const Input = z.discriminatedUnion('type', [InputText, InputImage, InputFile]);
const OutputText = z.looseObject({ type: z.literal('output_text'), text: z.string() });
const Item = z.union([
  z.strictObject({ role: z.enum(['developer', 'system']), content: z.string().min(1) }),
  z.strictObject({ role: z.literal('user'), content: z.array(Input).min(1) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string().min(1), z.array(OutputText).min(1)]),
    id: z.string().startsWith('msg_').optional(),
    phase: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id: z.string().min(1),
    name: ToolName,
    arguments: z.string(),
    id: z.string().startsWith('fc_').optional(),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: z.string().min(1),
    output: z.string(),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().startsWith('rs_').optional(),
    encrypted_content: z.string().startsWith('rehearsal.'),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  }),
]);
type Item = z.infer<typeof Item>;

const Body = z.strictObject({
  model: z.string().min(1),
  input: z.array(Item).min(1),
  stream: z.literal(true),
  // Without it the service would keep what is said.
  store: z.literal(false),
  include: z.array(z.literal('reasoning.encrypted_content')).optional(),
  prompt_cache_key: z.string().max(64).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: ToolName,
        description: z.string().optional(),
        parameters: z.looseObject({ type: z.literal('object') }),
        strict: z.boolean().nullish(),
      }),
    )
    .optional(),
  tool_choice: z.string().optional(),
  max_output_tokens: z.int().min(16).optional(),
});

export const openaiResponses: DoubleWire = {
  base: '/v1',
  hear(asked) {
    const refused = checkDoor(asked, '/v1/responses');
    if (refused) return refused;
    const body = Body.safeParse(asked.body);
    if (!body.success) return toComplaint(body.error);
    return checkItems(body.data.input) ?? toHeard(body.data);
  },
  refuse: toOpenAiRefusal,
  speak: speakResponses,
  write: (event) => `event: ${Object(event).type}\ndata: ${JSON.stringify(event)}\n\n`,
};

/** The promises between items: a call has one output, behind it; a thought is genuine and something follows it. */
function checkItems(input: Item[]): Refusal | undefined {
  const open = new Set<string>();
  for (const [at, item] of input.entries()) {
    if ('role' in item && open.size > 0)
      return new Refusal(400, `No tool output found for function call ${[...open][0]}.`);
    if (!('type' in item)) continue;
    if (item.type === 'function_call') open.add(item.call_id);
    if (item.type === 'function_call_output' && !open.delete(item.call_id))
      return new Refusal(400, `No tool call found for function call output with call_id ${item.call_id}.`);
    if (item.type !== 'reasoning') continue;
    if (!isGenuine(item.summary.map(({ text }) => text).join(''), item.encrypted_content))
      return new Refusal(400, `The encrypted content for item ${item.id} could not be verified.`);
    const next = input[at + 1];
    const isFollowed = next && (('role' in next && next.role === 'assistant') || 'type' in next);
    if (!isFollowed)
      return new Refusal(
        400,
        `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
      );
  }
  return open.size === 0
    ? undefined
    : new Refusal(400, `No tool output found for function call ${[...open][0]}.`);
}

function toHeard({ model, input, tools = [] }: z.infer<typeof Body>): Heard {
  const messages: HeardMessage[] = input.flatMap((item): HeardMessage[] => {
    if ('role' in item) {
      if (item.role === 'developer' || item.role === 'system') return [];
      const parts = typeof item.content === 'string' ? [{ text: item.content }] : item.content;
      return [{ role: item.role, content: parts.map(toBlock) }];
    }
    if (item.type === 'function_call') {
      const input = JSON.parse(item.arguments);
      return [
        { role: 'assistant', content: [{ type: 'tool_use', id: item.call_id, name: item.name, input }] },
      ];
    }
    if (item.type === 'reasoning') return [];
    return [{ role: 'user', content: [toResult(item.call_id, item.output)] }];
  });
  return {
    model,
    messages,
    tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters })),
  };
}

function toBlock(part: z.infer<typeof Input> | { text: string }): Record<string, unknown> {
  if ('image_url' in part) return toImageBlock(part.image_url);
  if ('file_data' in part) return toDocumentBlock(part.filename, splitDataUrl(part.file_data).data);
  return { type: 'text', text: part.text };
}
