// Images and files for a message: from a paste, a drop or a choice, and checked before they are sent. They are kept until
// then, also while another session is shown and over a reload.
import type { Content } from '@toolyard/sdk';
import { useRef, useState } from 'react';
import { type Attachment, findLost, toAttachments, useAttached } from './attached.ts';
import { readAttachment } from './read-attachment.ts';

const most = 10;

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
  toContent(text: string): Content;
}

export function useAttachments(sessionId: string): Attachments {
  const [problems, setProblems] = useState(() => findLost(sessionId));
  const { items, setItems, isUnkept } = useAttached(sessionId);
  const [reading, setReading] = useState(0);
  const nextId = useRef(Math.max(0, ...items.map(({ id }) => id)));

  async function read(file: File): Promise<void> {
    setReading((count) => count + 1);
    const found = await readAttachment(file);
    setReading((count) => count - 1);
    if (typeof found === 'string') setProblems((before) => [...before, found]);
    else {
      nextId.current += 1;
      const attachment = { id: nextId.current, name: file.name, part: found };
      setItems((before) => [...before, attachment]);
    }
  }

  return {
    items,
    problems,
    isReading: reading > 0,
    isUnkept,
    add(files) {
      const room = Math.max(0, most - items.length);
      setProblems(files.length > room ? [`A message takes ${most} images and files at most.`] : []);
      for (const file of files.slice(0, room)) void read(file);
    },
    remove: (id) => setItems((before) => before.filter((each) => each.id !== id)),
    clear() {
      setItems([]);
      setProblems([]);
    },
    dismiss: () => setProblems([]),
    restore(content) {
      const back = toAttachments(content, nextId.current);
      nextId.current += back.length;
      setItems((before) => [...before, ...back]);
    },
    toContent(text) {
      if (items.length === 0) return text;
      return [...(text ? [{ type: 'text' as const, text }] : []), ...items.map(({ part }) => part)];
    },
  };
}
