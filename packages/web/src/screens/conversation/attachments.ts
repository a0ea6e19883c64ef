// Images and files for a message: from a paste, a drop or a choice, and checked before they are sent.
import type { Content, FilePart, ImagePart } from '@toolyard/sdk';
import { useRef, useState } from 'react';
import { readAttachment } from './read-attachment.ts';

export interface Attachment {
  id: number;
  name: string;
  part: ImagePart | FilePart;
}

const most = 10;

export interface Attachments {
  items: readonly Attachment[];
  /** Why something was not taken. */
  problems: readonly string[];
  isReading: boolean;
  add(files: File[]): void;
  remove(id: number): void;
  clear(): void;
  dismiss(): void;
  toContent(text: string): Content;
}

export function useAttachments(): Attachments {
  const [items, setItems] = useState<readonly Attachment[]>([]);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [reading, setReading] = useState(0);
  const nextId = useRef(0);

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
    toContent(text) {
      if (items.length === 0) return text;
      return [...(text ? [{ type: 'text' as const, text }] : []), ...items.map(({ part }) => part)];
    },
  };
}
