// Whether a model can be given what a message holds. Asked before the message is taken: afterwards it would fail every
// turn that follows.
import { type Content, type ContentPart, isReadable, ToolyardError } from '@toolyard/sdk';
import type { Provider } from './providers.ts';

export interface Reader {
  /** `provider/model`. */
  name: string;
  provider: Provider;
}

/** Throws `invalid_request` that names who can read it. `providers`: all there are. */
export function requireReadable(reader: Reader, content: Content, providers: Iterable<Provider>): void {
  if (typeof content === 'string') return;
  const part = content.find((each) => !canRead(reader.provider, each));
  if (!part || part.type === 'text') return;
  const able = [...providers].filter((each) => canRead(each, part)).map(({ name }) => name);
  const what =
    part.type === 'file' ? `${part.name}: it takes no PDF` : `this image: it takes no ${part.mediaType}`;
  const instead = part.type === 'file' ? 'send its text' : 'send it as PNG, JPEG or WebP';
  const message = `${reader.name} cannot be given ${what}. Use a model of ${toChoice(able)}, or ${instead}.`;
  throw new ToolyardError('invalid_request', message, {
    data: { mediaType: part.mediaType, providers: able },
  });
}

function canRead({ type }: Provider, part: ContentPart): boolean {
  return part.type === 'text' || isReadable(type, part.mediaType);
}

function toChoice(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
