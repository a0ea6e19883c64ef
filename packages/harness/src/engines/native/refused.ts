// What a provider could not use of what was attached, such as a picture with too many pixels. It is left out from there
// on, the newest first: otherwise it would fail every turn to come. Pure.
import type { MessageEntry } from './entries.ts';
import type { UserPart } from './provider.ts';

/** Where the newest message with something attached is; -1 when there is none. */
export function findAttached(entries: readonly MessageEntry[]): number {
  return entries.findLastIndex(
    ({ message }) => message.role === 'user' && message.content.some(({ type }) => type === 'file'),
  );
}

export function withoutAttached({ message, ...rest }: MessageEntry): MessageEntry {
  if (message.role !== 'user') return { message, ...rest };
  return { ...rest, message: { ...message, content: message.content.map(toWord) } };
}

function toWord(part: UserPart): UserPart {
  if (part.type === 'text') return part;
  const name = part.filename ? `The file ${part.filename}` : 'An image';
  return {
    type: 'text',
    text: `[${name} (${part.mediaType}) was here. It could not be used and was left out.]`,
  };
}
