// Gathers one step's stream into the message the transcript keeps, provider metadata (such as thinking signatures)
// included. Emits nothing.
import type { ToolCall } from '@toolyard/sdk';
import type { AssistantPart, ProviderOptions, StreamPart } from './provider.ts';
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
  calls(): ToolCall[];
}

export function createAnswer(): Answer {
  const parts: AssistantPart[] = [];
  const calls: ToolCall[] = [];
  const open = new Map<string, TextPart>();
  let finish: Finish | undefined;

  const begin = (type: TextPart['type'], part: { id: string; providerMetadata?: ProviderOptions }) => {
    const begun: TextPart = { type, text: '' };
    open.set(`${type} ${part.id}`, begun);
    parts.push(begun);
    grow(begun, '', part.providerMetadata);
  };
  const extend = (
    type: TextPart['type'],
    part: { id: string; providerMetadata?: ProviderOptions },
    delta = '',
  ) => {
    const found = open.get(`${type} ${part.id}`);
    if (found) grow(found, delta, part.providerMetadata);
  };

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
          return begin('text', part);
        case 'text-delta':
          return extend('text', part, part.delta);
        case 'text-end':
          return extend('text', part);
        case 'reasoning-start':
          return begin('reasoning', part);
        case 'reasoning-delta':
          return extend('reasoning', part, part.delta);
        case 'reasoning-end':
          return extend('reasoning', part);
        case 'tool-call':
          calls.push({ id: part.toolCallId, name: part.toolName, input: toInput(part.input) });
          parts.push(toCallPart(part));
          return;
        case 'finish':
          finish = part;
      }
    },
    isFinished: () => finish !== undefined && finish.finishReason.unified !== 'interrupted',
    stopReason: () => finish?.finishReason.unified,
    content: () => parts.filter((part) => part.type !== 'text' || part.text !== ''),
    isWorthKeeping: () =>
      parts.some((part) => part.type === 'tool-call' || (part.type === 'text' && part.text !== '')),
    words: () => parts.filter((part) => part.type === 'text' && part.text.trim() !== ''),
    calls: () => calls,
  };
}

function grow(part: TextPart, delta: string, metadata: ProviderOptions | undefined): void {
  part.text += delta;
  if (!metadata) return;
  const merged: ProviderOptions = { ...part.providerOptions };
  for (const [provider, values] of Object.entries(metadata))
    merged[provider] = { ...merged[provider], ...values };
  part.providerOptions = merged;
}

function toCallPart(part: Extract<StreamPart, { type: 'tool-call' }>): AssistantPart {
  const input = toInput(part.input);
  return {
    type: 'tool-call',
    toolCallId: part.toolCallId,
    toolName: part.toolName,
    // Providers take only objects back; what the model sent instead stays readable to it.
    input: isObject(input) ? input : { unreadable: input },
    ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
  };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
