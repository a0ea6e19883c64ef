// Entries of a transcript → facts for the log. Pure: what must be remembered between two readings is a small value.
// What our own engine had written is passed over: all that goes back to a prompt of ours.
import type { TranscriptEvent, TranscriptFact } from '@toolyard/sdk';
import { boundJson, boundOutput, boundText, type SourceLocation } from './transcript-bounds.ts';
import {
  type Block,
  blocksOf,
  type Entry,
  isAnswerOfCommand,
  isInterruption,
  type Message,
  personTextIn,
  textOf,
  timeOf,
} from './transcript-entry.ts';
import { continuesOwnBranch, isOwnEntry, type Ownership, toOwnership } from './transcript-owner.ts';

/** How far the story has come. JSON. */
export interface Progress extends Ownership {
  /** The answer under way; its blocks are entries of their own. */
  answer?: Answer;
  /** Time of the last entry that had one. */
  at?: string;
}

interface Answer {
  id: string;
  at: string;
  isLast: boolean;
  usage?: Message['usage'];
}

export interface Translation {
  sessionId: string;
  /** What was said before is a copy of another conversation. */
  copiedBefore?: string | undefined;
  /** When an entry has no time. */
  fallbackAt: string;
}

export interface EntryFacts {
  facts: TranscriptFact[];
  progress: Progress;
}

export function toFacts(
  entry: Entry,
  past: Progress,
  context: Translation & { where: SourceLocation },
): EntryFacts {
  if (entry.isSidechain || isCopy(entry, context)) return { facts: [], progress: past };
  const at = timeOf(entry) ?? past.at ?? context.fallbackAt;
  const spoken = personTextIn(entry);
  const isPrompt = spoken !== undefined;
  const isOwn = isOwnEntry(entry, past, { isPrompt, sessionId: context.sessionId });
  const before = { ...toOwnership(past, entry, { isOwn, isPrompt }), at };
  if (isOwn)
    return isPrompt && !continuesOwnBranch(entry, past) ? cutOff(before) : { facts: [], progress: before };
  if (isPrompt) return toPromptFacts(spoken, before, context);
  if (entry.type === 'assistant' && entry.message)
    return toAnswerFacts(entry, entry.message, before, context);
  const facts = toOtherFacts(entry, at, context.where);
  // Bookkeeping lies between the blocks of an answer, too: only what was said ends it.
  if (facts.length === 0) return { facts, progress: before };
  const ended = endAnswer(before);
  return { facts: [...ended.facts, ...facts], progress: ended.progress };
}

function isCopy(entry: Entry, { copiedBefore = '' }: Translation): boolean {
  return (timeOf(entry) ?? copiedBefore) < copiedBefore;
}

/** Nothing more is there: an answer that said it was the last one is over. */
export function toLastFacts(progress: Progress): EntryFacts {
  return progress.answer?.isLast ? endAnswer(progress) : { facts: [], progress };
}

type EntryContext = Translation & { where: SourceLocation };

type Now = Progress & { at: string };

function toPromptFacts(words: string, before: Now, context: EntryContext): EntryFacts {
  const { facts, progress } = endAnswer(before);
  const content = boundText(words, context.where);
  return { facts: [...facts, { kind: 'message', at: before.at, content }], progress };
}

/** A prompt of ours goes on from what they said: a turn of theirs that has no end yet will not get one. */
function cutOff(before: Now): EntryFacts {
  const { facts, progress } = endAnswer(before);
  return { facts: [...facts, { kind: 'end', at: before.at, outcome: 'interrupted' }], progress };
}

function toAnswerFacts(entry: Entry, message: Message, before: Now, context: EntryContext): EntryFacts {
  const { at } = before;
  const id = message.id ?? entry.uuid ?? '';
  const ended = before.answer?.id === id ? { facts: [], progress: before } : endAnswer(before);
  if (entry.isApiErrorMessage) {
    const words = blocksOf(message).map(textOf).join('\n') || 'The request to the model failed.';
    const error = { code: 'provider_failed' as const, message: boundText(words, context.where) };
    return {
      facts: [...ended.facts, { kind: 'end', at, outcome: 'failed', error }],
      progress: ended.progress,
    };
  }
  const events = blocksOf(message).flatMap((block) => toEvents(block, context.where));
  const isLast =
    message.stop_reason !== undefined && !['tool_use', 'pause_turn'].includes(message.stop_reason);
  const answer = { id, at, isLast, ...(message.usage && { usage: message.usage }) };
  return {
    facts: [...ended.facts, ...events.map((event) => ({ kind: 'event' as const, at, event }))],
    progress: { ...ended.progress, answer },
  };
}

/** Usage comes with the last block: earlier ones may not know it yet. */
function endAnswer({ answer, ...progress }: Progress): EntryFacts {
  if (!answer) return { facts: [], progress };
  const { at, usage, isLast } = answer;
  const facts: TranscriptFact[] = [];
  if (usage) facts.push({ kind: 'event', at, event: toUsage(usage) });
  if (isLast) facts.push({ kind: 'end', at, outcome: 'completed' });
  return { facts, progress };
}

function toUsage(usage: NonNullable<Message['usage']>): TranscriptEvent {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  return {
    type: 'usage',
    data: {
      inputTokens: input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
      outputTokens: output_tokens,
      cacheReadTokens: cache_read_input_tokens,
      cacheWriteTokens: cache_creation_input_tokens,
      // It was paid for elsewhere, at a price we do not know.
      costUsd: null,
    },
  };
}

function toEvents(block: Block, where: SourceLocation): TranscriptEvent[] {
  const text = textOf(block);
  if (block.type === 'text')
    return text ? [{ type: 'text_delta', data: { text: boundText(text, where) } }] : [];
  if (block.type === 'thinking') {
    return text ? [{ type: 'thinking_delta', data: { text: boundText(text, where) } }] : [];
  }
  if (block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string') {
    const tool = block.name.startsWith('mcp__') ? block.name : `claude:${block.name}`;
    return [
      { type: 'tool_call_start', data: { toolCallId: block.id, tool: boundText(tool, where) } },
      { type: 'tool_call_end', data: { toolCallId: block.id, input: boundJson(block.input ?? {}, where) } },
    ];
  }
  return block.type === 'redacted_thinking' ? [] : [toRaw(boundJson(block, where))];
}

/** All but prompts and answers. Bookkeeping of the CLI tells nothing. */
function toOtherFacts(entry: Entry, at: string, where: SourceLocation): TranscriptFact[] {
  const { type, subtype, message, attachment, content } = entry;
  if (attachment?.type === 'queued_command' && attachment.commandMode !== 'task-notification') {
    const words = attachment.prompt?.trim();
    return words ? [{ kind: 'message', at, content: boundText(words, where), isAdded: true }] : [];
  }
  if (type === 'system' && subtype === 'compact_boundary') {
    return [{ kind: 'event', at, event: toRaw({ type, subtype, text: boundText(content ?? '', where) }) }];
  }
  return type === 'user' && message ? toUserFacts(entry, message, at, where) : [];
}

function toUserFacts(entry: Entry, message: Message, at: string, where: SourceLocation): TranscriptFact[] {
  const blocks = blocksOf(message);
  const results = blocks.flatMap((block) => toResult(block, where));
  if (results.length > 0) return results.map((event) => ({ kind: 'event', at, event }));
  const words = blocks.map(textOf).join('\n').trim();
  if (isInterruption(words)) return [{ kind: 'end', at, outcome: 'interrupted' }];
  if (!words || entry.isMeta) return [];
  const kind = entry.isCompactSummary ? 'summary' : (entry.origin?.kind ?? 'command_output');
  const raw = { kind: 'event' as const, at, event: toRaw({ type: kind, text: boundText(words, where) }) };
  return isAnswerOfCommand(words) ? [raw, { kind: 'end', at, outcome: 'completed' }] : [raw];
}

function toResult(block: Block, where: SourceLocation): TranscriptEvent[] {
  if (block.type !== 'tool_result' || typeof block.tool_use_id !== 'string') return [];
  const data = { toolCallId: block.tool_use_id, isError: block.is_error === true };
  return [{ type: 'tool_result', data: { ...data, ...boundOutput(toOutput(block.content), where) } }];
}

function toOutput(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => (isTextPart(part) ? part.text : toPlaceholder(part))).join('\n');
}

function isTextPart(part: unknown): part is { text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}

function toPlaceholder(part: unknown): string {
  const type = typeof part === 'object' && part !== null && 'type' in part ? part.type : undefined;
  return `[${typeof type === 'string' ? type.slice(0, 40) : 'something'}]`;
}

function toRaw(message: unknown): TranscriptEvent {
  return { type: 'raw', data: { engine: 'claude', message } };
}
