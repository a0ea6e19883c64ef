// What a checkpoint stores of a conversation, entry by entry. Only grows: what is void or summarised later is said so
// by a later entry. Builds them and reads them back.
import {
  type Content,
  type ContentPart,
  pdfType,
  type ToolOutcome,
  ToolyardError,
  toFileText,
} from '@toolyard/sdk';
import { z } from 'zod';
import type { AssistantPart, Message, UserPart } from '../models/provider.ts';

export type Entry =
  | MessageEntry
  /** The answer before it, which was broken off, is void. */
  | { withdrawn: true }
  /** What was attached to the newest message that has something was refused, and is left out. */
  | { refused: true }
  /** The model goes on from a summary and the last `keep` messages. All before stays stored. */
  | { compacted: Compaction };

export interface MessageEntry {
  message: Message;
  /** An answer that was broken off. */
  partial?: true;
  /** What the answer stood on when it was made: see prompt-fingerprint.ts. */
  ground?: string;
  /** How many tokens the conversation had with it, by the provider's count. */
  tokens?: number;
}

export interface Compaction {
  summary: string;
  keep: number;
  /** How far our guesses of sizes were off by then. */
  scale: number;
}

export interface OpenCall {
  id: string;
  name: string;
}

export function toUserEntry(content: Content): MessageEntry {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { message: { role: 'user', content: parts.map(toUserPart) } };
}

/** The base64 stays as it came, since entries are stored as JSON. What a file says in words, every model can read. */
function toUserPart(part: ContentPart): UserPart {
  if (part.type === 'text') return part;
  const { mediaType } = part;
  if (part.type === 'file' && mediaType !== pdfType) return { type: 'text', text: toFileText(part) };
  const data = { type: 'data' as const, data: part.data };
  return { type: 'file', mediaType, data, ...(part.type === 'file' && { filename: part.name }) };
}

export function toAnswerEntry(
  content: AssistantPart[],
  facts: Pick<MessageEntry, 'ground' | 'tokens'> = {},
): MessageEntry {
  return { message: { role: 'assistant', content }, ...facts };
}

export function toPartialEntry(content: AssistantPart[]): MessageEntry {
  return { message: { role: 'assistant', content }, partial: true };
}

/** One result per call, in the order of the calls; a call that `outcomes` does not name is of unknown outcome. */
export function toResultsEntry(calls: readonly OpenCall[], outcomes: readonly ToolOutcome[]): MessageEntry {
  const content = calls.map((call) => {
    const { text, isError } = outcomes.find(({ toolCallId }) => toolCallId === call.id) ?? outcomeUnknown;
    return {
      type: 'tool-result' as const,
      toolCallId: call.id,
      toolName: call.name,
      output: { type: isError ? ('error-text' as const) : ('text' as const), value: text },
    };
  });
  return { message: { role: 'tool', content } };
}

const outcomeUnknown = {
  text: 'Outcome unknown: the server stopped during this call. It may or may not have had its effect; check before you repeat it.',
  isError: true,
};

const StoredEntries = z.array(
  z.union([
    z.object({
      message: z.looseObject({
        role: z.enum(['user', 'assistant', 'tool']),
        content: z.array(z.looseObject({ type: z.string() })),
      }),
      partial: z.literal(true).optional(),
      ground: z.string().optional(),
      // A provider's count: one that is none is not worth the conversation.
      tokens: z.int().nonnegative().optional().catch(undefined),
    }),
    z.object({ withdrawn: z.literal(true) }),
    z.object({ refused: z.literal(true) }),
    z.object({
      compacted: z.object({ summary: z.string(), keep: z.int().nonnegative(), scale: z.number().positive() }),
    }),
  ]),
);

/** Reads entries back. Their parts were built by this folder and stored as JSON, so only the outline is checked. */
export function parseEntries(stored: readonly unknown[]): Entry[] {
  const entries = StoredEntries.safeParse(stored);
  // The cast trusts what this engine stored itself.
  if (entries.success) return entries.data as Entry[];
  throw new ToolyardError(
    'database_corrupt',
    'The stored transcript of this session cannot be read. Start a new session; the log still shows this one.',
    { cause: entries.error },
  );
}
