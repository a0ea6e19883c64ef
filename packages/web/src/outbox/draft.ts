// What is typed and not sent, kept for this tab so that neither leaving the session nor a reload loses it.
import { useCallback, useState } from 'react';
import { listStored, readStored, store } from '../storage/tab-storage.ts';
import { setUnsaved } from '../storage/unsaved-changes.ts';

const drafts = 'toolyard.draft.';
export const toDraftName = (sessionId: string) => `${drafts}${sessionId}`;
/** For what something is written, a session or a screen. */
export const listDrafts = () => [...listStored(drafts), ...[...unkept.keys()].map(toSessionId)];
const toSessionId = (name: string) => name.slice(drafts.length);

/** What the tab's storage did not take lives as long as the page. */
const unkept = new Map<string, string>();

export function useDraft(sessionId: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(sessionId));
  const change = useCallback(
    (next: string) => {
      setText(next);
      writeDraft(sessionId, next);
    },
    [sessionId],
  );
  return [text, change];
}

export function readDraft(sessionId: string): string {
  const name = toDraftName(sessionId);
  const stored = unkept.get(name) ?? readStored(name);
  return typeof stored === 'string' ? stored : '';
}

export function writeDraft(sessionId: string, text: string): void {
  const name = toDraftName(sessionId);
  const isKept = store(name, text || undefined) || text === '';
  if (isKept) unkept.delete(name);
  else unkept.set(name, text);
  setUnsaved(name, isKept ? undefined : 'unkept');
}
