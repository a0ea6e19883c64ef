// What is typed and not sent, kept for this tab so that neither leaving the session nor a reload loses it.
import { useCallback, useState } from 'react';
import { readStored, store } from './stored.ts';

const toName = (sessionId: string) => `toolyard.draft.${sessionId}`;

export function useDraft(sessionId: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(sessionId));
  const change = useCallback(
    (next: string) => {
      setText(next);
      store(toName(sessionId), next || undefined);
    },
    [sessionId],
  );
  return [text, change];
}

function readDraft(sessionId: string): string {
  const stored = readStored(toName(sessionId));
  return typeof stored === 'string' ? stored : '';
}
