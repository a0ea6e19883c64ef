// Begins a conversation: opens a session and sends the first message. When the sending fails, the session that was
// opened is used for the next attempt, and the same words go under the same key: what was taken is not taken twice.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type CreateSession, createUuid, type Session } from '@toolyard/sdk';
import { useRef } from 'react';
import { client } from '../../server/client.ts';
import { keepSession } from '../../server/sessions.ts';
import { readDraft, writeDraft } from '../conversation/draft.ts';

/** The draft of the start is kept beside those of sessions. */
export const startDraft = 'start';

export interface Beginning {
  prompt: string;
  session: CreateSession;
  /** It stands in the field; a suggestion does not. */
  isTyped: boolean;
}

interface Opened {
  wish: string;
  session: Session;
  /** Of each prompt that was tried. */
  keys: Map<string, string>;
}

export function useStart(setText: (text: string) => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const opened = useRef<Opened | undefined>(undefined);
  return useMutation({
    async mutationFn({ prompt, session: wanted }: Beginning) {
      const wish = JSON.stringify(wanted);
      if (opened.current?.wish !== wish)
        opened.current = { wish, session: await client.sessions.create(wanted), keys: new Map() };
      const { session, keys } = opened.current;
      const idempotencyKey = keys.get(prompt) ?? createUuid();
      keys.set(prompt, idempotencyKey);
      await client.sessions.send(session.id, prompt, { idempotencyKey });
      return session;
    },
    onSuccess(session, { prompt, isTyped }) {
      if (isTyped) {
        writeDraft(session.id, toRest(readDraft(startDraft), prompt));
        setText('');
      }
      keepSession(queries, session);
      void navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
    },
  });
}

/** What was written on while the session was being opened: it goes along. */
function toRest(text: string, sent: string): string {
  return (text.startsWith(sent) ? text.slice(sent.length) : text).trim();
}
