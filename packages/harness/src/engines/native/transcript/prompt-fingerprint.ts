// What a model's thoughts stand on: the model, its instructions and its tools. Providers take thoughts and other marks of
// theirs back only while that, and all that was said before, is unchanged; otherwise the words alone go back. Pure.
import { createHash } from 'node:crypto';
import type { AssistantPart, Message, ModelTools } from '../models/provider.ts';
import type { MessageEntry } from './entries.ts';

/** Equal grounds, equal mark. */
export function toPromptFingerprint(model: string, instructions: string, tools: ModelTools): string {
  return createHash('sha256')
    .update(JSON.stringify([model, instructions, tools]))
    .digest('base64url')
    .slice(0, 16);
}

/** The messages; of answers made on another ground, and of all before such an answer, only what any model may read. */
export function toPortable(entries: readonly MessageEntry[], fingerprint: string | undefined): Message[] {
  const foreign = entries.findLastIndex(
    (entry) => entry.message.role === 'assistant' && !entry.partial && entry.ground !== fingerprint,
  );
  return entries.map(({ message, partial }, index) =>
    index <= foreign || partial ? toWords(message) : message,
  );
}

function toWords(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const content = message.content.filter(({ type }) => type !== 'reasoning').map(withoutMarks);
  return { role: 'assistant', content };
}

function withoutMarks(part: AssistantPart): AssistantPart {
  const { providerOptions: _, ...rest } = part;
  return rest;
}
