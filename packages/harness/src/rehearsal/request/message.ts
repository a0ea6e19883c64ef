// The shape of one message of the Messages API, and of the blocks in it that a script can react to.
import { findFileType, imageTypes, pdfType, toByteCount } from '@toolyard/sdk';
import { z } from 'zod';
import { invalid, type Refusal } from './refusal.ts';

const AnyBlock = z.looseObject({ type: z.string() });

export const Message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(AnyBlock)]),
});
export type Message = z.infer<typeof Message>;

const TextBlock = z.looseObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text must not be empty'),
});
const ThinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().min(1),
});
const ToolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
});
const ToolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish(),
  content: z.union([z.string(), z.array(AnyBlock)]).nullish(),
});
const ImageBlock = z.looseObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('base64'),
      media_type: z.enum(imageTypes),
      data: z.string().refine((data) => toByteCount(data), 'the image is not base64'),
    }),
    z.looseObject({ type: z.literal('url'), url: z.string() }),
    z.looseObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
});
const DocumentBlock = z.looseObject({
  type: z.literal('document'),
  title: z.string().nullish(),
  source: z.discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('base64'),
      media_type: z.literal(pdfType),
      data: z.string().refine(isPdf, 'the PDF is not valid'),
    }),
    z.looseObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
    z.looseObject({ type: z.literal('url'), url: z.string() }),
    z.looseObject({ type: z.literal('file'), file_id: z.string() }),
    z.looseObject({ type: z.literal('content') }),
  ]),
});
const KnownBlock = z.discriminatedUnion('type', [
  TextBlock,
  ImageBlock,
  DocumentBlock,
  ThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
]);
const knownTypes = new Set<string>(['text', 'image', 'document', 'thinking', 'tool_use', 'tool_result']);

export type ToolResultBlock = z.infer<typeof ToolResultBlock>;
export type ImageBlock = z.infer<typeof ImageBlock>;
export type DocumentBlock = z.infer<typeof DocumentBlock>;
/** Whatever a script does not look at. */
interface OtherBlock {
  type: 'other';
}
export type Block = z.infer<typeof KnownBlock> | OtherBlock;

function isPdf(data: string): boolean {
  return toByteCount(data) !== undefined && findFileType(data) === pdfType;
}

/** Parses one block; `at` is its path in the request. */
export function parseBlock(raw: { type: string }, at: string): Block | Refusal {
  if (!knownTypes.has(raw.type)) return { type: 'other' };
  const parsed = KnownBlock.safeParse(raw);
  return parsed.success ? parsed.data : toRefusal(parsed.error, at);
}

/** Names the field as the real service does: `messages.0.role: …`. */
export function toRefusal(error: z.ZodError, at?: string): Refusal {
  const issue = error.issues[0];
  const path = [...(at === undefined ? [] : [at]), ...(issue?.path ?? [])].map(String).join('.');
  const isMissing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return invalid(`${path === '' ? 'body' : path}: ${isMissing ? 'Field required' : issue?.message}`);
}
