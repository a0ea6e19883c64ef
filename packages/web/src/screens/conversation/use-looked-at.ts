// A conversation that is open in a window that somebody sees has been looked at, as far as it has been read.
import type { SessionView } from '@toolyard/sdk';
import { useEffect } from 'react';
import { keepSeen } from '../../storage/seen-sessions.ts';

export function useLookedAt(sessionId: string, { lastSeq, items }: SessionView, isLoaded: boolean): void {
  const end = items.findLast(({ kind }) => kind === 'end');
  const hasFailed = end?.kind === 'end' && end.outcome === 'failed';
  useEffect(() => {
    const look = () => {
      if (isLoaded && !document.hidden) keepSeen(sessionId, lastSeq, hasFailed);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [sessionId, lastSeq, hasFailed, isLoaded]);
}
