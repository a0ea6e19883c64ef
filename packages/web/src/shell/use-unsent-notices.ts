// Words that cannot reach their session while another screen is open: because it is gone, since when whoever was away
// learns as soon as the server is heard again, or because the server will not take them. It is told, with the way there;
// where the session itself is open, it says so there.
import { useRouter } from '@tanstack/react-router';
import { ToolyardError } from '@toolyard/sdk';
import { useCallback, useEffect } from 'react';
import { client, socket } from '../connection/client.ts';
import { toProblem } from '../connection/problems.ts';
import { useToast } from '../controls/toast.tsx';
import { hasAnswerDraft, listAnswerDrafts } from '../decision-cards/answer-drafts.ts';
import { onRefused } from '../outbox/outbox.ts';
import { hasUnsent, listUnsent } from '../outbox/unsent.ts';
import { onDeleted } from '../queries/deleted-sessions.ts';

const noticeDurationMs = 60_000;
/** Sessions that are known to be gone: each is told of once in a life of the page. */
const deletedSessions = new Set<string>();

export function useUnsentNotices(): void {
  const toast = useToast();
  const router = useRouter();
  // Where the reader goes: a screen that is still being loaded shows the one before.
  const isOpen = useCallback(
    (sessionId: string) => router.latestLocation.pathname === `/sessions/${sessionId}`,
    [router],
  );
  const toAction = useCallback(
    (label: string, sessionId: string) => ({
      label,
      onSelect: () => void router.navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
    }),
    [router],
  );
  const notifyDeleted = useCallback(
    (sessionId: string) => {
      const isNews = !deletedSessions.has(sessionId);
      deletedSessions.add(sessionId);
      if (!isNews || isOpen(sessionId) || !(hasUnsent(sessionId) || hasAnswerDraft(sessionId))) return;
      toast({
        title: 'A session was deleted',
        note: 'It had words of yours that were not sent. They are still here.',
        durationMs: noticeDurationMs,
        action: toAction('Show them', sessionId),
      });
    },
    [toast, isOpen, toAction],
  );
  const notifyRefused = useCallback(
    (sessionId: string, error: unknown) => {
      if (isNotFound(error)) notifyDeleted(sessionId);
      else if (!isOpen(sessionId))
        toast({
          tone: 'bad',
          title: 'A message was not taken',
          note: toProblem(error).message,
          durationMs: noticeDurationMs,
          action: toAction('Show it', sessionId),
        });
    },
    [toast, isOpen, toAction, notifyDeleted],
  );
  useEffect(() => onDeleted(notifyDeleted), [notifyDeleted]);
  useEffect(() => onRefused(notifyRefused), [notifyRefused]);
  useEffect(
    () =>
      socket.onState((state) => {
        if (state === 'open') void findDeleted(notifyDeleted);
      }),
    [notifyDeleted],
  );
}

/** What was deleted while nobody heard it. */
async function findDeleted(notify: (sessionId: string) => void): Promise<void> {
  for (const sessionId of new Set([...listUnsent(), ...listAnswerDrafts()])) {
    if (deletedSessions.has(sessionId)) continue;
    await client.sessions.get(sessionId).catch((error) => {
      if (isNotFound(error)) notify(sessionId);
    });
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ToolyardError && error.code === 'session_not_found';
}
