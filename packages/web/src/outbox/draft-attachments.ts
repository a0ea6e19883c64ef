// The images and files of a draft, kept until they are sent: beside their names, by which what is lost is missed.
import type { Content, FilePart, ImagePart } from '@toolyard/sdk';
import { useEffect, useState } from 'react';
import { readLarge, storeLarge } from '../storage/large-storage.ts';
import { listStored, readStored, store } from '../storage/tab-storage.ts';
import { useIsUnsaved } from '../storage/unsaved-changes.ts';

export interface Attachment {
  id: number;
  name: string;
  part: ImagePart | FilePart;
}

const none: readonly Attachment[] = [];

const prefix = 'toolyard.attached.';
const toName = (sessionId: string) => `${prefix}${sessionId}`;
/** The sessions that have some. */
export const listAttached = () => listStored(prefix);

export function readAttached(sessionId: string): readonly Attachment[] {
  // What this page wrote there.
  return (readLarge(toName(sessionId)) as readonly Attachment[] | undefined) ?? none;
}

export function writeAttached(sessionId: string, items: readonly Attachment[]): void {
  const name = toName(sessionId);
  // The names stand by themselves, so that what is not kept is missed.
  store(name, items.length > 0 ? items.map((item) => item.name) : undefined);
  if (items !== readAttached(sessionId)) storeLarge(name, items.length > 0 ? items : undefined);
}

export function findLost(sessionId: string): readonly string[] {
  const names = readStored(toName(sessionId));
  const found = new Set(readAttached(sessionId).map(({ name }) => name));
  const lost = Array.isArray(names) ? names.filter((name) => !found.has(name)) : [];
  return lost.map((name) => `${name || 'An image'} was not kept over the reload. Add it again.`);
}

export function toAttachments(content: Content, lastId = 0): readonly Attachment[] {
  const parts = typeof content === 'string' ? [] : content.filter((part) => part.type !== 'text');
  return parts.map((part, index) => ({
    id: lastId + index + 1,
    part,
    name: part.type === 'file' ? part.name : '',
  }));
}

export function useAttached(sessionId: string) {
  const [items, setItems] = useState(() => readAttached(sessionId));
  useEffect(() => writeAttached(sessionId, items), [sessionId, items]);
  return { items, setItems, isUnkept: useIsUnsaved(toName(sessionId)) };
}
