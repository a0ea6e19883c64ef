// The window's title: how many answers are awaited, where we are, and whose page this is.
import { useLocation, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { toTitle } from '../server/session-title.ts';
import { useSessionInfo } from '../server/sessions.ts';
import { screens } from './navigation.tsx';

export function usePlace(): string | undefined {
  const { pathname } = useLocation();
  const { sessionId } = useParams({ strict: false });
  const { data: session } = useSessionInfo(sessionId);
  if (sessionId) return session ? toTitle(session) : undefined;
  return screens.find(({ to }) => pathname.startsWith(to))?.name;
}

export function usePageTitle(waiting: number): void {
  const place = usePlace();
  useEffect(() => {
    const name = place ? `${place} · Toolyard` : 'Toolyard';
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
  }, [place, waiting]);
}
