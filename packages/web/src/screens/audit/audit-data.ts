// The evidence, newest first, page by page, and whether it is whole.
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { AuditFilter } from '@toolyard/sdk';
import { client } from '../../connection/client.ts';

const pageSize = 100;
const fromNewest = 0;

export function useAudit(filter: AuditFilter) {
  return useInfiniteQuery({
    queryKey: ['audit', 'rows', filter],
    queryFn: ({ pageParam }) =>
      client.audit.list({ order: 'desc', limit: pageSize, after: pageParam, ...filter }),
    initialPageParam: fromNewest,
    placeholderData: keepPreviousData,
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Number(next)),
  });
}

export function useVerdict() {
  return useQuery({
    queryKey: ['audit', 'verdict'],
    queryFn: () => client.audit.verify(),
    // The whole chain is walked for it.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
}
