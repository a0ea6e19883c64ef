// The conversation as the provider gets it back, kept valid at every moment: each call has its result. Entries are what
// a checkpoint stores; the same entries always give the same prompt.
import { type Content, type ToolOutcome, ToolyardError } from '@toolyard/sdk';
import { z } from 'zod';
import type { AssistantPart, Message, UserPart } from './provider.ts';

/** One stored message, `partial` if it is an answer that was broken off; or the word that such an answer is void. */
export type Entry = MessageEntry | { withdrawn: true };

interface MessageEntry {
  message: Message;
  partial?: true;
}

export interface OpenCall {
  id: string;
  name: string;
}

export interface Transcript {
  /** The prompt for the next step. Not a copy: it grows with the conversation. */
  readonly prompt: Message[];
  append(entry: Entry): void;
  /** Calls of the last message that have no result. */
  openCalls(): OpenCall[];
  /** Where the conversation stands: whose word is next. */
  stands(): 'empty' | 'unanswered' | 'broken off' | 'answered' | 'calls open';
}

export function createTranscript(instructions: string, stored: readonly unknown[]): Transcript {
  const prompt: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  const first = prompt.length;
  let partial = false;

  const last = () => (prompt.length > first ? prompt.at(-1) : undefined);
  const openCalls = () => {
    const message = last();
    return message?.role === 'assistant' ? message.content.flatMap(toOpenCall) : [];
  };
  const append = (entry: Entry) => {
    if ('message' in entry) prompt.push(entry.message);
    else if (partial) prompt.pop();
    partial = 'message' in entry && entry.partial === true;
  };
  for (const entry of parseEntries(stored)) append(entry);

  return {
    prompt,
    append,
    openCalls,
    stands() {
      const message = last();
      if (!message) return 'empty';
      if (message.role !== 'assistant') return 'unanswered';
      if (partial) return 'broken off';
      return openCalls().length > 0 ? 'calls open' : 'answered';
    },
  };
}

export function toUserEntry(content: Content): Entry {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { message: { role: 'user', content: parts.map(toUserPart) } };
}

/** The base64 stays as it came, since entries are stored as JSON. */
function toUserPart(part: Exclude<Content, string>[number]): UserPart {
  if (part.type === 'text') return part;
  return { type: 'file', mediaType: part.mediaType, data: { type: 'data', data: part.data } };
}

export function toAnswerEntry(content: AssistantPart[]): Entry {
  return { message: { role: 'assistant', content } };
}

export function toPartialEntry(content: AssistantPart[]): Entry {
  return { message: { role: 'assistant', content }, partial: true };
}

/** One result per call, in the order of the calls; a call that `outcomes` does not name is of unknown outcome. */
export function toResultsEntry(calls: readonly OpenCall[], outcomes: readonly ToolOutcome[]): Entry {
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
  text: 'The server stopped while this call was under way: outcome unknown. It may or may not have had its effect; check before you repeat it.',
  isError: true,
};

function toOpenCall(part: AssistantPart): OpenCall[] {
  return part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName }] : [];
}

const StoredEntries = z.array(
  z.union([
    z.object({
      message: z.looseObject({
        role: z.enum(['user', 'assistant', 'tool']),
        content: z.array(z.looseObject({ type: z.string() })),
      }),
      partial: z.literal(true).optional(),
    }),
    z.object({ withdrawn: z.literal(true) }),
  ]),
);

/** Reads entries back. Their parts were built by this folder and stored as JSON, so only the outline is checked. */
function parseEntries(stored: readonly unknown[]): Entry[] {
  const entries = StoredEntries.safeParse(stored);
  // The cast trusts what this engine stored itself.
  if (entries.success) return entries.data as Entry[];
  throw new ToolyardError(
    'database_corrupt',
    'The stored transcript of this session cannot be read. Start a new session; the log still shows this one.',
    { cause: entries.error },
  );
}
