// A session that goes while another screen is open may leave words that were never sent: then it is told, with the way
// to them. Where the session itself is open, it says so there.
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasTyped } from '../asking/typed-words.ts';
import { useToast } from '../parts/toast.tsx';
import { hasUnsent } from '../screens/conversation/unsent.ts';
import { hearDeleted } from '../server/deleted-sessions.ts';

const staysMs = 60_000;

export function useLeftWords(): void {
  const toast = useToast();
  const router = useRouter();
  useEffect(
    () =>
      hearDeleted((sessionId) => {
        // Where the reader goes: a screen that is still being loaded shows the one before.
        const isOpen = router.latestLocation.pathname === `/sessions/${sessionId}`;
        if (isOpen || !(hasUnsent(sessionId) || hasTyped(sessionId))) return;
        toast({
          title: 'A session was deleted',
          note: 'It had words of yours that were not sent. They are still here.',
          durationMs: staysMs,
          action: {
            label: 'Show them',
            onSelect: () => void router.navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
          },
        });
      }),
    [toast, router],
  );
}
