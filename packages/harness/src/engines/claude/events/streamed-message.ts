// One message of the model while its pieces come in: what has been shown of each block, and what it cost. The whole
// blocks that the CLI sends beside the pieces are matched against it, so that nothing is shown twice.
import type { Usage } from '@toolyard/sdk';
import { type Fields, fieldsAt, numberAt, textAt } from '../lib/untyped-fields.ts';

export interface StreamedBlock {
  index: number;
  /** `text`, `thinking`, `tool_use`, or what else there may be. */
  type: string;
  /** Of a tool call. */
  id: string;
  json: string;
  /** Something of it has been emitted. */
  shown: boolean;
  /** The CLI has sent the whole of it. */
  whole: boolean;
}

export interface StreamedMessage {
  readonly id: string;
  readonly blocks: StreamedBlock[];
  usage: Fields;
}

export function openMessage(event: Fields): StreamedMessage {
  const message = fieldsAt(event, 'message');
  return { id: textAt(message, 'id') ?? '', blocks: [], usage: fieldsAt(message, 'usage') };
}

export function openBlock(message: StreamedMessage, event: Fields): StreamedBlock {
  const content = fieldsAt(event, 'content_block');
  const block = {
    index: numberAt(event, 'index') ?? message.blocks.length,
    type: textAt(content, 'type') ?? '',
    id: textAt(content, 'id') ?? '',
    json: '',
    shown: false,
    whole: false,
  };
  message.blocks.push(block);
  return block;
}

export function blockAt(message: StreamedMessage, event: Fields): StreamedBlock | undefined {
  return message.blocks.findLast(({ index }) => index === event.index);
}

/** The streamed block that a whole one repeats; each is given out once. */
export function claimBlock(message: StreamedMessage | undefined, whole: Fields): StreamedBlock | undefined {
  const block = message?.blocks.find(
    (streamed) =>
      !streamed.whole &&
      streamed.type === whole.type &&
      (whole.type !== 'tool_use' || streamed.id === whole.id),
  );
  if (block) block.whole = true;
  return block;
}

/** Later counts replace earlier ones; a count that is missing or null keeps what was known. */
export function addUsage(message: StreamedMessage, event: Fields): void {
  const later = Object.entries(fieldsAt(event, 'usage')).filter(([, value]) => typeof value === 'number');
  message.usage = { ...message.usage, ...Object.fromEntries(later) };
}

/** Tokens read from or written to a cache are input too. Nothing when nothing was used. */
export function toUsage(usage: Fields): Usage | undefined {
  const cacheReadTokens = count(usage, 'cache_read_input_tokens');
  const cacheWriteTokens = count(usage, 'cache_creation_input_tokens');
  const inputTokens = count(usage, 'input_tokens') + cacheReadTokens + cacheWriteTokens;
  const outputTokens = count(usage, 'output_tokens');
  if (inputTokens + outputTokens === 0) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}

function count(usage: Fields, key: string): number {
  return Math.max(0, Math.round(numberAt(usage, key) ?? 0));
}
