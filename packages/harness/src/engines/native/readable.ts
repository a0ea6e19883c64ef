// A conversation may hold images and files that were sent to another model. What this one cannot be given becomes a word
// about it, so that the conversation goes on. Pure.
import { isReadable, type ProviderType } from '@toolyard/sdk';
import type { Message, UserPart } from './provider.ts';

export function toReadable(prompt: readonly Message[], type: ProviderType): Message[] {
  return prompt.map((message) => {
    if (message.role !== 'user') return message;
    const isPlain = message.content.every((part) => isGiven(part, type));
    return isPlain ? message : { ...message, content: message.content.map((part) => toGiven(part, type)) };
  });
}

function isGiven(part: UserPart, type: ProviderType): boolean {
  return part.type === 'text' || isReadable(type, part.mediaType);
}

function toGiven(part: UserPart, type: ProviderType): UserPart {
  if (part.type === 'text' || isGiven(part, type)) return part;
  const name = part.filename ? `The file ${part.filename}` : 'An image';
  return { type: 'text', text: `[${name} (${part.mediaType}) is here, which you cannot be given.]` };
}
