// Begins a conversation: opens a session and sends the first message. When the sending fails, the session that was
// opened is used for the next attempt, and the same words go under the same key: what was taken is not taken twice.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type CreateSession, createUuid, type Session } from '@toolyard/sdk';
import { useRef } from 'react';
import { client } from '../../connection/client.ts';
import { toContent } from '../../outbox/attachments.ts';
import { readDraft, writeDraft } from '../../outbox/draft.ts';
import { type Attachment, readAttached, writeAttached } from '../../outbox/draft-attachments.ts';
import { keepSession } from '../../queries/sessions.ts';

/** The draft of the start is kept beside those of sessions. */
export const startDraft = 'start';

export interface Beginning {
  prompt: string;
  /** Images and files that go along. */
  attached: readonly Attachment[];
  session: CreateSession;
  /** It stands in the field; a suggestion does not. */
  isTyped: boolean;
}

interface Opened {
  request: string;
  session: Session;
  /** Of each message that was tried. */
  keys: Map<string, string>;
}

/** `onSent`: what stood in the field is with the server, or with the new session's own. */
export function useStart(onSent: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const opened = useRef<Opened | undefined>(undefined);
  return useMutation({
    async mutationFn({ prompt, attached, session: wanted }: Beginning) {
      const content = toContent(prompt, attached);
      const message = JSON.stringify(content);
      const request = JSON.stringify(wanted);
      if (opened.current?.request !== request)
        opened.current = { request, session: await client.sessions.create(wanted), keys: new Map() };
      const { session, keys } = opened.current;
      const idempotencyKey = keys.get(message) ?? createUuid();
      keys.set(message, idempotencyKey);
      await client.sessions.send(session.id, content, { idempotencyKey });
      return session;
    },
    onSuccess(session, { prompt, attached, isTyped }) {
      if (isTyped) {
        const sent = new Set(attached.map(({ id }) => id));
        writeDraft(session.id, toRest(readDraft(startDraft), prompt));
        writeAttached(
          session.id,
          readAttached(startDraft).filter(({ id }) => !sent.has(id)),
        );
        writeAttached(startDraft, []);
        onSent();
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
