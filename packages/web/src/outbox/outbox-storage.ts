// Where messages wait that the server has not taken: their list in the tab's storage, a large one's content beside it.
import { type Content, ToolyardError, toShown } from '@toolyard/sdk';
import { readLarge, storeLarge } from '../storage/large-storage.ts';
import { listStored, readStored, store } from '../storage/tab-storage.ts';
import { setUnsaved } from '../storage/unsaved-changes.ts';

export interface Outgoing {
  key: string;
  content: Content;
  /** Its number in the log, once it is taken. */
  seq?: number | undefined;
  error?: unknown;
  /** The rest of it was not kept: only a person sends it like this. */
  isCut?: true;
}

type Kept = { key: string; content: Content } | { key: string; words: string };

/** The tab's storage has room for some millions of characters, and all of a session's messages share it. */
const maxStoredLength = 50_000;
const wordsLength = 2_000;

const boxes = 'toolyard.outbox.';
export const toBoxName = (sessionId: string) => `${boxes}${sessionId}`;
export const toContentName = (key: string) => `toolyard.outgoing.${key}`;

export const isUnsent = ({ seq }: Outgoing) => seq === undefined;

/** Keeps what is not taken, and drops what was kept `before` and is no more. */
export function keepBox(sessionId: string, before: readonly Outgoing[], box: readonly Outgoing[]): void {
  const unsent = box.filter(isUnsent);
  const name = toBoxName(sessionId);
  const isKept = store(name, unsent.length > 0 ? unsent.map(toKept) : undefined);
  setUnsaved(name, isKept || unsent.length === 0 ? undefined : 'unkept');
  for (const { key } of before) {
    if (!unsent.some((each) => each.key === key)) storeLarge(toContentName(key), undefined);
  }
}

function toKept({ key, content, isCut }: Outgoing): Kept {
  if (isCut) return { key, words: toShown(content) };
  if (JSON.stringify(content).length <= maxStoredLength) return { key, content };
  const name = toContentName(key);
  if (readLarge(name) === undefined) storeLarge(name, content);
  return { key, words: toShown(content).slice(0, wordsLength) };
}

/** The sessions for which messages wait. */
export const listBoxes = () => listStored(boxes);

export function readBox(sessionId: string): readonly Outgoing[] {
  const stored = readStored(toBoxName(sessionId));
  return Array.isArray(stored) ? stored.filter(isKept).map(toOutgoing) : [];
}

function toOutgoing(kept: Kept): Outgoing {
  const { key } = kept;
  if ('content' in kept) return { key, content: kept.content };
  const content = readLarge(toContentName(key));
  // What this page wrote there.
  if (content !== undefined) return { key, content: content as Content };
  const message = 'It was too large for this browser to keep over the reload: only its words are left.';
  return { key, content: kept.words, isCut: true, error: new ToolyardError('invalid_request', message) };
}

function isKept(value: unknown): value is Kept {
  return (
    typeof value === 'object' && value !== null && 'key' in value && ('content' in value || 'words' in value)
  );
}
