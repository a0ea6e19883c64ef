// What was written for a session and has not reached it: its draft, what waits to be sent, images and files. When the
// session is gone, it goes along to another one.
import { type Content, type ContentPart, SessionId } from '@toolyard/sdk';
import { listDrafts, readDraft, writeDraft } from './draft.ts';
import { listAttached, readAttached, toAttachments, writeAttached } from './draft-attachments.ts';
import { cancelAllMessages, listOutboxes, readOutbox } from './outbox.ts';

export interface Unsent {
  text: string;
  /** Images and files. */
  parts: readonly Exclude<ContentPart, { type: 'text' }>[];
}

export function readUnsent(sessionId: string): Unsent {
  const waiting = readOutbox(sessionId).map(({ content }) => content);
  const texts = [...waiting.map(toWords), readDraft(sessionId)].map((text) => text.trim());
  const sent = waiting.flatMap((content) => (typeof content === 'string' ? [] : content));
  return {
    text: texts.filter(Boolean).join('\n\n'),
    parts: [
      ...sent.filter((part) => part.type !== 'text'),
      ...readAttached(sessionId).map(({ part }) => part),
    ],
  };
}

export function hasUnsent(sessionId: string): boolean {
  const { text, parts } = readUnsent(sessionId);
  return text !== '' || parts.length > 0;
}

/** The sessions for which something is kept. */
export function listUnsent(): readonly string[] {
  const found = [...listDrafts(), ...listOutboxes(), ...listAttached()];
  return [...new Set(found)].filter((id) => SessionId.safeParse(id).success && hasUnsent(id));
}

export function dropUnsent(sessionId: string): void {
  writeDraft(sessionId, '');
  cancelAllMessages(sessionId);
  writeAttached(sessionId, []);
}

export function moveUnsent(from: string, to: string): void {
  const { text, parts } = readUnsent(from);
  writeDraft(to, text);
  writeAttached(to, toAttachments([...parts]));
  dropUnsent(from);
}

/** Only its words: what else it carries is counted by itself. */
export function toWords(content: Content): string {
  return typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
