// Images and files for a message: from a paste, a drop or a choice, and checked before they are sent. They are kept until
// then, also while another session is shown and over a reload.
import type { Content } from '@toolyard/sdk';
import { useRef, useState } from 'react';
import { type Attachment, findLost, toAttachments, useAttached } from './draft-attachments.ts';
import { readAttachment } from './read-attachment.ts';

const maxAttachments = 10;
/** Of what had no place. */
const maxNamed = 5;

export interface Attachments {
  items: readonly Attachment[];
  /** Why something was not taken. */
  problems: readonly string[];
  isReading: boolean;
  /** They are gone when the page is. */
  isUnkept: boolean;
  add(files: File[]): void;
  remove(id: number): void;
  clear(): void;
  dismiss(): void;
  /** What a message held comes back. */
  restore(content: Content): void;
}

export function useAttachments(sessionId: string): Attachments {
  const [problems, setProblems] = useState(() => findLost(sessionId));
  const { items, setItems, isUnkept } = useAttached(sessionId);
  const [reading, setReading] = useState(0);
  const nextId = useRef(Math.max(0, ...items.map(({ id }) => id)));
  const count = useRef(items.length);
  count.current = items.length;
  const before = useRef(Promise.resolve());

  /** One after the other: only one that is taken has a place. */
  async function read(files: readonly File[]): Promise<void> {
    const refused: string[] = [];
    const left: string[] = [];
    for (const file of files) {
      const found = count.current < maxAttachments ? await readAttachment(file) : undefined;
      if (found === undefined) left.push(file.name || 'what you pasted');
      else if (typeof found === 'string') refused.push(found);
      else {
        nextId.current += 1;
        count.current += 1;
        const attachment = { id: nextId.current, name: file.name, part: found };
        setItems((others) => [...others, attachment]);
      }
    }
    setProblems((others) => [...others, ...refused, ...(left.length > 0 ? [formatLeft(left)] : [])]);
    setReading((others) => others - 1);
  }

  return {
    items,
    problems,
    isReading: reading > 0,
    isUnkept,
    add(files) {
      setProblems([]);
      setReading((others) => others + 1);
      before.current = before.current.then(() => read(files));
    },
    remove: (id) => setItems((others) => others.filter((each) => each.id !== id)),
    clear() {
      setItems([]);
      setProblems([]);
    },
    dismiss: () => setProblems([]),
    restore(content) {
      const back = toAttachments(content, nextId.current);
      nextId.current += back.length;
      setItems((others) => [...others, ...back]);
    },
  };
}

function formatLeft(names: readonly string[]): string {
  const named = names.slice(0, maxNamed).join(', ');
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `A message takes ${maxAttachments} images and files at most. Left out: ${named}${more}.`;
}

export function toContent(text: string, attached: readonly Attachment[]): Content {
  if (attached.length === 0) return text;
  return [...(text ? [{ type: 'text' as const, text }] : []), ...attached.map(({ part }) => part)];
}
