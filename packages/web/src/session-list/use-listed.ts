// Which sessions the list shows, as it is and while somebody looks for one.

import { useParams } from '@tanstack/react-router';
import type { Session } from '@toolyard/sdk';
import { useMemo } from 'react';
import { useAskingSessions } from '../queries/pending.ts';
import { useSearch } from '../queries/search.ts';
import { useRecentlyStarted, useSessions, useUnlisted } from '../queries/sessions.ts';
import { useHiddenSessions } from './deletions.ts';
import { isDirect, isDrafted, isUnderWay } from './session-groups.ts';

/** What was read of the list, and whoever waits or works further down than that. */
export function useListed(showsDirect: boolean) {
  const query = useSessions();
  const hidden = useHiddenSessions();
  const asking = useAskingSessions();
  const { sessionId: openId } = useParams({ strict: false });
  const read = useMemo(() => (query.data?.pages ?? []).flatMap((page) => page.items), [query.data]);
  const further = useFurther(read, asking, query.data !== undefined);
  const all = [...read, ...further].filter(({ id }) => !hidden.has(id));
  const sessions = all.filter(
    (one) => one.id === openId || (!isDrafted(one) && (showsDirect || !isDirect(one))),
  );
  return { query, asking, sessions, isEmpty: all.length === 0, directCount: all.filter(isDirect).length };
}

/** Under way, though their page of the list was not read. */
function useFurther(
  read: readonly Session[],
  asking: ReadonlySet<string>,
  isRead: boolean,
): readonly Session[] {
  const atWork = useRecentlyStarted();
  const missing = useMemo(() => {
    const known = new Set(read.map(({ id }) => id));
    return isRead ? [...new Set([...asking, ...atWork])].filter((id) => !known.has(id)) : [];
  }, [read, asking, atWork, isRead]);
  const { sessions: found } = useUnlisted(missing);
  return found
    .filter((session) => !isDrafted(session) && isUnderWay(session, asking))
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

export interface FoundSessions {
  /** Newest first; none that the list has read already. */
  sessions: readonly Session[];
  isLooking: boolean;
}

/**
 * Sessions whose titles fit, however far down the list they stand: the server is asked, and those that the list has not
 * read are read by themselves.
 */
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
