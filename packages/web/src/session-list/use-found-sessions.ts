// Sessions whose titles fit, however far down the list they stand: the server is asked, and those that the list has not
// read are read by themselves.
import type { Session } from '@toolyard/sdk';
import { useMemo } from 'react';
import { useSearch } from '../server/search.ts';
import { useSessions, useUnlisted } from '../server/sessions.ts';
import { useHiddenSessions } from './deletions.ts';
import { isDirect, isDrafted } from './session-groups.ts';

export interface FoundSessions {
  /** Newest first; none that the list has read already. */
  sessions: readonly Session[];
  isLooking: boolean;
}

export function useFoundSessions(words: string): FoundSessions {
  const { data: pages } = useSessions();
  const { data: hits, isLooking } = useSearch(words);
  const hidden = useHiddenSessions();
  const ids = useMemo(() => {
    const read = new Set((pages?.pages ?? []).flatMap(({ items }) => items.map(({ id }) => id)));
    const titled = (hits?.items ?? []).filter(({ kind }) => kind === 'title');
    return words ? titled.map(({ sessionId }) => sessionId).filter((id) => !read.has(id)) : [];
  }, [pages, hits, words]);
  const { sessions: found, isReading } = useUnlisted(ids);
  const sessions = found.filter((one) => !hidden.has(one.id) && !isDirect(one) && !isDrafted(one));
  return { sessions, isLooking: isLooking || isReading };
}
