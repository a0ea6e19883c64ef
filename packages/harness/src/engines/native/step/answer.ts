// Gathers one step's stream into the message the transcript keeps, provider metadata (such as thinking signatures)
// included. Emits nothing.
import type { ToolCall } from '@toolyard/sdk';
import type { AssistantPart, ProviderOptions, StreamPart } from '../models/provider.ts';
import { hasText, isAnswer } from '../transcript/normalize-messages.ts';
import { toInput } from './translate.ts';

type Finish = Extract<StreamPart, { type: 'finish' }>;
type TextPart = Extract<AssistantPart, { type: 'text' | 'reasoning' }>;

export interface Answer {
  add(part: StreamPart): void;
  /** Did the model stop by itself? A stream that just ends has not. */
  isFinished(): boolean;
  stopReason(): Finish['finishReason']['unified'] | undefined;
  content(): AssistantPart[];
  /** A message of thoughts alone is refused by providers when it is sent back. */
  isWorthKeeping(): boolean;
  /** Only the words: what may stay of a step that was broken off. */
  words(): AssistantPart[];
  /** The same as one text. */
  text(): string;
  /** All that the step read and wrote, by the provider's count. */
  tokens(): number | undefined;
  calls(): ToolCall[];
}

interface Gathered {
  parts: AssistantPart[];
  calls: ToolCall[];
  /** Text and thoughts that still grow, by kind and the provider's id. */
  open: Map<string, TextPart>;
  finish?: Finish;
}

export function createAnswer(): Answer {
  const gathered: Gathered = { parts: [], calls: [], open: new Map() };
  const { parts, calls } = gathered;
  return {
    add: (part) => gather(gathered, part),
    isFinished: () => gathered.finish !== undefined && gathered.finish.finishReason.unified !== 'interrupted',
    stopReason: () => gathered.finish?.finishReason.unified,
    content: () => parts.filter((part) => part.type !== 'text' || hasText(part)),
    isWorthKeeping: () => isAnswer(parts),
    words: () => parts.filter(hasText),
    text: () => parts.filter(hasText).map(toText).join('\n\n'),
    tokens: () => toTokens(gathered.finish?.usage),
    calls: () => calls,
  };
}

function gather(into: Gathered, part: StreamPart): void {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start':
      begin(into, part.type === 'text-start' ? 'text' : 'reasoning', part);
      break;
    case 'text-delta':
    case 'text-end':
      extend(into, 'text', part);
      break;
    case 'reasoning-delta':
    case 'reasoning-end':
      extend(into, 'reasoning', part);
      break;
    case 'tool-call': {
      const input = toInput(part.input);
      into.calls.push({ id: part.toolCallId, name: part.toolName, input });
      into.parts.push(toCallPart(part, input));
      break;
    }
    case 'finish':
      into.finish = part;
  }
}

interface Growth {
  id: string;
  delta?: string;
  providerMetadata?: ProviderOptions;
}

function begin({ open, parts }: Gathered, type: TextPart['type'], growth: Growth): void {
  const begun: TextPart = { type, text: '' };
  open.set(`${type} ${growth.id}`, begun);
  parts.push(begun);
  grow(begun, growth);
}

function extend({ open }: Gathered, type: TextPart['type'], growth: Growth): void {
  const found = open.get(`${type} ${growth.id}`);
  if (found) grow(found, growth);
}

function grow(part: TextPart, { delta = '', providerMetadata }: Growth): void {
  part.text += delta;
  if (!providerMetadata) return;
  const merged: ProviderOptions = { ...part.providerOptions };
  for (const [provider, values] of Object.entries(providerMetadata)) {
    merged[provider] = { ...merged[provider], ...values };
  }
  part.providerOptions = merged;
}

function toCallPart(part: Extract<StreamPart, { type: 'tool-call' }>, input: unknown): AssistantPart {
  return {
    type: 'tool-call',
    toolCallId: part.toolCallId,
    toolName: part.toolName,
    // Providers take only objects back; what the model sent instead stays readable to it.
    input: isObject(input) ? input : { unreadable: input },
    ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
  };
}

function toText(part: AssistantPart): string {
  return part.type === 'text' ? part.text : '';
}

function toTokens(usage: Finish['usage'] | undefined): number | undefined {
  const total = (usage?.inputTokens.total ?? 0) + (usage?.outputTokens.total ?? 0);
  const tokens = Math.ceil(total);
  return tokens > 0 && Number.isSafeInteger(tokens) ? tokens : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
