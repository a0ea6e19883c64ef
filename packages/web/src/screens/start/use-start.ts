// Begins a conversation: opens a session and sends the first message. When the sending fails, the session that was
// opened is used for the next attempt; when the page goes, the words stay.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { CreateSession, Session } from '@toolyard/sdk';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../server/client.ts';
import { keepSession } from '../../server/sessions.ts';

const draftKey = 'toolyard.draft.start';

export interface Beginning {
  prompt: string;
  session: CreateSession;
}

export function useStart() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const opened = useRef<{ wish: string; session: Session } | undefined>(undefined);
  return useMutation({
    async mutationFn({ prompt, session: wanted }: Beginning) {
      const wish = JSON.stringify(wanted);
      const session =
        opened.current?.wish === wish ? opened.current.session : await client.sessions.create(wanted);
      opened.current = { wish, session };
      await client.sessions.send(session.id, prompt);
      return session;
    },
    onSuccess(session) {
      writeDraft('');
      keepSession(queries, session);
      void navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
    },
  });
}

/** Words that were typed and not sent, kept in this window. */
export function useDraft(): [string, (text: string) => void] {
  const [text, setText] = useState(readDraft);
  useEffect(() => writeDraft(text), [text]);
  return [text, setText];
}

function readDraft(): string {
  try {
    return sessionStorage.getItem(draftKey) ?? '';
  } catch {
    return '';
  }
}

function writeDraft(text: string): void {
  try {
    if (text) sessionStorage.setItem(draftKey, text);
    else sessionStorage.removeItem(draftKey);
  } catch {
    // Storage may be forbidden or full: then the words live as long as the page.
  }
}
