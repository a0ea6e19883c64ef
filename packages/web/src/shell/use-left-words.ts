// Words that cannot reach their session while another screen is open: because it is gone, since when whoever was away
// learns as soon as the server is heard again, or because the server will not take them. It is told, with the way there;
// where the session itself is open, it says so there.
import { useRouter } from '@tanstack/react-router';
import { ToolyardError } from '@toolyard/sdk';
import { useCallback, useEffect } from 'react';
import { hasTyped, listTyped } from '../asking/typed-words.ts';
import { client, socket } from '../connection/client.ts';
import { toProblem } from '../connection/problems.ts';
import { useToast } from '../controls/toast.tsx';
import { hearRefused } from '../drafts/outbox.ts';
import { hasUnsent, listUnsent } from '../drafts/unsent.ts';
import { hearDeleted } from '../server/deleted-sessions.ts';

const staysMs = 60_000;
/** Sessions that are known to be gone: each is told of once in a life of the page. */
const gone = new Set<string>();

export function useLeftWords(): void {
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
  const tellGone = useCallback(
    (sessionId: string) => {
      const isNews = !gone.has(sessionId);
      gone.add(sessionId);
      if (!isNews || isOpen(sessionId) || !(hasUnsent(sessionId) || hasTyped(sessionId))) return;
      toast({
        title: 'A session was deleted',
        note: 'It had words of yours that were not sent. They are still here.',
        durationMs: staysMs,
        action: toAction('Show them', sessionId),
      });
    },
    [toast, isOpen, toAction],
  );
  const tellRefused = useCallback(
    (sessionId: string, error: unknown) => {
      if (isNotThere(error)) tellGone(sessionId);
      else if (!isOpen(sessionId))
        toast({
          tone: 'bad',
          title: 'A message was not taken',
          note: toProblem(error).message,
          durationMs: staysMs,
          action: toAction('Show it', sessionId),
        });
    },
    [toast, isOpen, toAction, tellGone],
  );
  useEffect(() => hearDeleted(tellGone), [tellGone]);
  useEffect(() => hearRefused(tellRefused), [tellRefused]);
  useEffect(
    () =>
      socket.onState((state) => {
        if (state === 'open') void findGone(tellGone);
      }),
    [tellGone],
  );
}

/** What was deleted while nobody heard it. */
async function findGone(tell: (sessionId: string) => void): Promise<void> {
  for (const sessionId of new Set([...listUnsent(), ...listTyped()])) {
    if (gone.has(sessionId)) continue;
    await client.sessions.get(sessionId).catch((error) => {
      if (isNotThere(error)) tell(sessionId);
    });
  }
}

function isNotThere(error: unknown): boolean {
  return error instanceof ToolyardError && error.code === 'session_not_found';
}
