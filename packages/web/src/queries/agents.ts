// Agents, runs and tasks, read from the server. News make whoever shows them read them again.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Agent, TaskStatus } from '@toolyard/sdk';
import { client } from '../connection/client.ts';
import { keys } from './keys.ts';

const pageSize = 100;
const maxAgents = 500;
/** A task that is opened or closed elsewhere is told in no session. */
const tasksIntervalMs = 2_500;
const firstPage: string | undefined = undefined;

/** The newest, page by page, and whoever works, however long ago it was drafted. */
export function useAgents(rootSessionId?: string) {
  const of = rootSessionId ? { rootSessionId } : {};
  const live = useLiveAgents(rootSessionId);
  const all = useInfiniteQuery({
    queryKey: [...keys.agents, 'all', rootSessionId ?? ''],
    queryFn: ({ pageParam }) =>
      client.agents.list({ ...of, all: true, limit: pageSize, ...(pageParam && { after: pageParam }) }),
    initialPageParam: firstPage,
    getNextPageParam: (page) => page.next,
  });
  const found = [...(live.data?.items ?? []), ...(all.data?.pages ?? []).flatMap(({ items }) => items)];
  return {
    // Of two readings the later in the list: an agent that has just ended may still be among the live ones.
    agents: [...new Map(found.map((agent): [string, Agent] => [agent.id, agent])).values()],
    isPending: all.isPending,
    error: all.error ?? live.error,
    retry: () => void Promise.all([all.refetch(), live.refetch()]),
    hasMore: all.hasNextPage,
    isReadingMore: all.isFetchingNextPage,
    readMore: () => void all.fetchNextPage(),
  };
}

/** Whoever works now. */
export function useLiveAgents(rootSessionId?: string) {
  return useQuery({
    queryKey: [...keys.agents, 'live', rootSessionId ?? ''],
    queryFn: () => client.agents.list({ limit: maxAgents, ...(rootSessionId && { rootSessionId }) }),
  });
}

/** All of one tree, as far as one answer holds it. */
export function useTree(rootSessionId: string) {
  return useQuery({
    queryKey: [...keys.agents, 'tree', rootSessionId],
    queryFn: () => client.agents.list({ all: true, limit: maxAgents, rootSessionId }),
  });
}

export function useRun(runId: string) {
  return useQuery({ queryKey: [...keys.runs, runId], queryFn: () => client.runs.get(runId), retry: false });
}

export function useTasks(status?: TaskStatus) {
  return useInfiniteQuery({
    queryKey: [...keys.tasks, 'list', status ?? ''],
    queryFn: ({ pageParam }) =>
      client.tasks.list({
        limit: pageSize,
        ...(status && { status }),
        ...(pageParam && { after: pageParam }),
      }),
    initialPageParam: firstPage,
    getNextPageParam: (page) => page.next,
    refetchInterval: tasksIntervalMs,
  });
}

/** One task, with its dispatches from the newest on. */
export function useTask(slug: string) {
  return useInfiniteQuery({
    queryKey: [...keys.tasks, 'one', slug],
    queryFn: ({ pageParam }) =>
      client.tasks.get(slug, { limit: pageSize, ...(pageParam && { after: pageParam }) }),
    initialPageParam: firstPage,
    getNextPageParam: ({ dispatches }) => dispatches.next,
    refetchInterval: tasksIntervalMs,
    retry: false,
  });
}

export function useTaskContext(slug: string) {
  return useQuery({
    queryKey: [...keys.tasks, 'context', slug],
    queryFn: () => client.tasks.context(slug),
    retry: false,
  });
}
