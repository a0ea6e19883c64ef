// The conversation as the provider gets it back, kept valid at every moment: each call has its result. The same entries
// always give the same prompt.

import type { AssistantPart, Message, UserPart } from '../models/provider.ts';
import { type Compaction, type Entry, type MessageEntry, type OpenCall, parseEntries } from './entries.ts';
import { normalizeMessages } from './normalize-messages.ts';
import { toPortable } from './prompt-fingerprint.ts';

export interface Transcript {
  /** What the next step sends: instructions, the summary if there is one, and the messages since. */
  prompt(fingerprint?: string): Message[];
  /** Since the last compaction. Not a copy: it grows with the conversation. */
  readonly entries: readonly MessageEntry[];
  /** Of what came before them. */
  readonly summary: string | undefined;
  /** Of our guesses of sizes, until the provider has counted anew. */
  readonly scale: number;
  append(entry: Entry): void;
  /** Calls of the last message that have no result. */
  openCalls(): OpenCall[];
  /** Where the conversation stands: whose word is next. */
  lastState(): 'empty' | 'unanswered' | 'broken off' | 'answered' | 'calls open';
}

export function createTranscript(instructions: string, stored: readonly unknown[]): Transcript {
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  const entries: MessageEntry[] = [];
  let compaction: Compaction | undefined;

  const compact = (made: Compaction) => {
    compaction = made;
    const { keep } = made;
    const kept = entries.splice(0).slice(-keep || Number.POSITIVE_INFINITY);
    // What was made in view of the whole must not claim to stand on its summary, nor be counted as if it did.
    entries.push(...kept.map(({ message, partial }) => ({ message, ...(partial && { partial }) })));
  };
  const removeRejected = () => {
    const at = findAttached(entries);
    const found = entries[at];
    if (found) entries[at] = withoutAttached(found);
  };
  const append = (entry: Entry) => {
    if ('message' in entry) entries.push(entry);
    else if ('compacted' in entry) compact(entry.compacted);
    else if ('refused' in entry) removeRejected();
    else if (entries.at(-1)?.partial) entries.pop();
  };
  for (const entry of parseEntries(stored)) append(entry);

  const openCalls = () => {
    const message = entries.at(-1)?.message;
    return message?.role === 'assistant' ? message.content.flatMap(toOpenCall) : [];
  };
  return {
    entries,
    get summary() {
      return compaction?.summary;
    },
    get scale() {
      return compaction?.scale ?? 1;
    },
    prompt: (fingerprint) =>
      normalizeMessages([
        ...system,
        ...(compaction ? [toSummaryMessage(compaction.summary)] : []),
        ...toPortable(entries, fingerprint),
      ]),
    append,
    openCalls,
    lastState() {
      const last = entries.at(-1);
      if (!last) return compaction ? 'answered' : 'empty';
      if (last.message.role !== 'assistant') return 'unanswered';
      if (last.partial) return 'broken off';
      return openCalls().length > 0 ? 'calls open' : 'answered';
    },
  };
}

const preface =
  '[Toolyard] The older part of this conversation was summarised to make room. Your own summary of it:';

function toSummaryMessage(summary: string): Message {
  return { role: 'user', content: [{ type: 'text', text: `${preface}\n\n${summary}` }] };
}

function toOpenCall(part: AssistantPart): OpenCall[] {
  return part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName }] : [];
}

/** Where the newest message with something attached is; -1 when there is none. */
export function findAttached(entries: readonly MessageEntry[]): number {
  return entries.findLastIndex(
    ({ message }) => message.role === 'user' && message.content.some(({ type }) => type === 'file'),
  );
}

/**
 * What a provider could not use of what was attached, such as a picture with too many pixels, is left out from there on,
 * the newest first: otherwise it would fail every turn to come.
 */
function withoutAttached({ message, ...rest }: MessageEntry): MessageEntry {
  if (message.role !== 'user') return { message, ...rest };
  return { ...rest, message: { ...message, content: message.content.map(toPlaceholder) } };
}

function toPlaceholder(part: UserPart): UserPart {
  if (part.type === 'text') return part;
  const name = part.filename ? `The file ${part.filename}` : 'An image';
  return {
    type: 'text',
    text: `[${name} (${part.mediaType}) was attached here. It could not be read and was left out.]`,
  };
}
