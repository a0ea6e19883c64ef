// The list of sessions, newest first, page by page, and single sessions. News change what is already read in place:
// reading every page again for each change would cost more the further a person has scrolled.
import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Session, ToolyardError } from '@toolyard/sdk';
import { client } from './client.ts';
import { keys } from './keys.ts';
import { insert, type SessionPage } from './session-pages.ts';

type Pages = InfiniteData<SessionPage, string | undefined>;

const pageSize = 50;
export const sessionListKey = [...keys.sessions, 'list'] as const;
const toKey = (id: string) => [...keys.sessions, 'one', id] as const;

export function useSessions() {
  return useInfiniteQuery({
    queryKey: sessionListKey,
    queryFn: ({ pageParam }): Promise<SessionPage> =>
      client.sessions.list({ limit: pageSize, ...(pageParam && { after: pageParam }) }),
    initialPageParam: firstPage,
    getNextPageParam: (page) => page.next,
  });
}

const firstPage: string | undefined = undefined;

export function useSessionInfo(id: string | undefined) {
  return useQuery({
    queryKey: toKey(id ?? ''),
    queryFn: () => client.sessions.get(id ?? ''),
    enabled: id !== undefined,
  });
}

/** Puts a session where it belongs, in every list that shows it. */
export function keepSession(queries: QueryClient, session: Session): void {
  queries.setQueryData(toKey(session.id), session);
  queries.setQueryData<Pages>(
    sessionListKey,
    (data) => data && { ...data, pages: insert(data.pages, session) },
  );
}

export function dropSession(queries: QueryClient, id: string): void {
  // Whoever shows it reads it again, and hears that it is gone.
  void queries.invalidateQueries({ queryKey: toKey(id) });
  queries.setQueryData<Pages>(sessionListKey, (data) => {
    if (!data) return data;
    const pages = data.pages.map((page) => ({ ...page, items: page.items.filter((one) => one.id !== id) }));
    return { ...data, pages };
  });
}

/** Reads one session again; one that is gone leaves the lists. */
export async function refreshSession(queries: QueryClient, id: string): Promise<void> {
  try {
    keepSession(queries, await client.sessions.get(id));
  } catch (thrown) {
    if (thrown instanceof ToolyardError && thrown.code === 'session_not_found') dropSession(queries, id);
  }
}
