// What every provider takes back. Some refuse blank text, half a character, or names and ids of calls that others gave; one
// such part would fail every turn to come. What is stored stays as it is. Pure, and a message for each message.

import type { AssistantPart, Message, UserPart } from '../models/provider.ts';
import { toOwnId } from './call-ids.ts';

type ToolPart = Extract<Message, { role: 'tool' }>['content'][number];

export function normalizeMessages(messages: readonly Message[]): Message[] {
  const used = new Set<string>();
  /** Of the calls that were made last, by the id they are stored under. */
  const ids = new Map<string, string>();
  const callPart = (part: AssistantPart): AssistantPart => {
    if (part.type !== 'tool-call') return part;
    const toolCallId = toOwnId(part.toolCallId, used);
    used.add(toolCallId);
    ids.set(part.toolCallId, toolCallId);
    return { ...part, toolCallId, toolName: toName(part.toolName), input: toWellFormed(part.input) };
  };
  const resultPart = (part: ToolPart): ToolPart => {
    if (part.type !== 'tool-result') return part;
    const { output } = part;
    const toolCallId = ids.get(part.toolCallId) ?? part.toolCallId;
    const isText = output.type === 'text' || output.type === 'error-text';
    const whole = isText ? { ...output, value: output.value.toWellFormed() } : output;
    return { ...part, toolCallId, toolName: toName(part.toolName), output: whole };
  };
  return messages.map((message): Message => {
    if (message.role === 'system') return { ...message, content: message.content.toWellFormed() };
    if (message.role === 'tool') return { ...message, content: message.content.map(resultPart) };
    if (message.role === 'user') return { ...message, content: toNonEmpty(message.content, 'message') };
    const content = message.content.map(callPart);
    return { ...message, content: toNonEmpty(isAnswer(content) ? content : [], 'answer') };
  });
}

/** Thoughts alone, or with white space, are refused, too. */
export function isAnswer(content: readonly AssistantPart[]): boolean {
  return content.some((part) => part.type === 'tool-call' || hasText(part));
}

/** Is it more than white space? */
export function hasText(part: AssistantPart | UserPart): boolean {
  return part.type === 'text' && /\S/.test(part.text);
}

function toNonEmpty<Part extends AssistantPart | UserPart>(parts: readonly Part[], what: string) {
  const detail = parts.filter((part) => part.type !== 'text' || hasText(part)).map(toWholePart);
  return detail.length > 0 ? detail : [{ type: 'text' as const, text: `[An empty ${what} was here.]` }];
}

function toWholePart<Part extends AssistantPart | UserPart>(part: Part): Part {
  return 'text' in part ? { ...part, text: part.text.toWellFormed() } : part;
}

const fitting = /^[a-zA-Z0-9_-]{1,128}$/;

/** A model may call what was never there, by any name. */
function toName(name: string): string {
  return fitting.test(name) ? name : name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64) || '_';
}

/** The same value, with no half characters in its texts. */
function toWellFormed(value: unknown): unknown {
  return /\\ud[89a-f]/.test(JSON.stringify(value) ?? '') ? toWellFormedDeep(value) : value;
}

function toWellFormedDeep(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toWellFormedDeep);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.toWellFormed(), toWellFormedDeep(each)]),
  );
}
