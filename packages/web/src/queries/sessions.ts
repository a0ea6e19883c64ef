// The list of sessions, newest first, page by page, and single sessions. News change what is already read in place:
// reading every page again for each change would cost more the further a person has scrolled.
import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type Session, ToolyardError } from '@toolyard/sdk';
import { useEffect } from 'react';
import { client } from '../connection/client.ts';
import { useSocketState } from '../connection/connection-state.ts';
import { keys } from './keys.ts';
import { insert, type SessionPage } from './session-pages.ts';

type Pages = InfiniteData<SessionPage, string | undefined>;

const pageSize = 50;
const newestIntervalMs = 5_000;
export const sessionListKey = [...keys.sessions, 'list'] as const;
const toKey = (id: string) => [...keys.sessions, 'one', id] as const;
const toOne = (id: string) => ({ queryKey: toKey(id), queryFn: () => client.sessions.get(id) });
const atWorkKey = [...keys.sessions, 'atWork'] as const;
/** Of those that the list has not read yet, so many are looked at. */
const maxUnlisted = 40;

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

/**
 * A session that is renamed or made elsewhere is told in no log: the newest are read again now and then, as long as
 * somebody looks. What has changed is put in its place; nothing else moves.
 */
export function useNewestSessions(): void {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: [...keys.sessions, 'newest'],
    queryFn: () => client.sessions.list({ limit: pageSize }),
    refetchInterval: newestIntervalMs,
    enabled: useSocketState() === 'open',
  });
  useEffect(() => {
    for (const session of data?.items ?? []) if (isNews(queries, session)) keepSession(queries, session);
  }, [data, queries]);
}

/** Not what is known already, or known better: an answer may have been overtaken on its way. */
function isNews(queries: QueryClient, session: Session): boolean {
  if (dropped.has(session.id)) return false;
  const pages = queries.getQueryData<Pages>(sessionListKey)?.pages ?? [];
  const known = [
    queries.getQueryData<Session>(toKey(session.id)),
    ...pages.flatMap(({ items }) => items.filter(({ id }) => id === session.id)),
  ].filter((one) => one !== undefined);
  return known.every(({ lastSeq, updatedAt }) => lastSeq <= session.lastSeq && updatedAt < session.updatedAt);
}

/** Deleted while this page is open: not to come back with an answer that was on its way. */
const dropped = new Set<string>();

export function useSessionInfo(id: string | undefined) {
  return useQuery({
    ...toOne(id ?? ''),
    enabled: id !== undefined,
  });
}

/** Each by itself: for those whose page of the list was not read. */
export function useUnlisted(ids: readonly string[]): Unlisted {
  return useQueries({
    queries: ids.slice(0, maxUnlisted).map((id) => ({ ...toOne(id), retry: false })),
    combine: toFound,
  });
}

interface Unlisted {
  sessions: readonly Session[];
  isReading: boolean;
}

/** One that is gone is not read any more. */
function toFound(results: readonly { data: Session | undefined; isPending: boolean }[]): Unlisted {
  return {
    sessions: results.flatMap(({ data }) => data ?? []),
    isReading: results.some(({ isPending }) => isPending),
  };
}

/** Those that were heard to begin a turn, the latest first. */
export function useRecentlyStarted(): readonly string[] {
  return useQuery<readonly string[]>({ queryKey: atWorkKey, queryFn: () => [], enabled: false }).data ?? none;
}

const none: readonly string[] = [];

/** Puts a session where it belongs, in every list that shows it. */
export function keepSession(queries: QueryClient, session: Session): void {
  queries.setQueryData(toKey(session.id), session);
  if (session.status === 'running') noteAtWork(queries, session.id);
  queries.setQueryData<Pages>(
    sessionListKey,
    (data) => data && { ...data, pages: insert(data.pages, session) },
  );
}

function noteAtWork(queries: QueryClient, id: string): void {
  queries.setQueryData<readonly string[]>(atWorkKey, (ids = none) =>
    ids.includes(id) ? ids : [id, ...ids].slice(0, maxUnlisted),
  );
}

export function dropSession(queries: QueryClient, id: string): void {
  dropped.add(id);
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
