// Taking something back: it is told how it went, and the list is read again either way.
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { toProblem } from '../../connection/problems.ts';
import { useToast } from '../../controls/toast.tsx';

export interface Revoking {
  /** Of the list that it is in. */
  listKey: QueryKey;
  revoke(id: string): Promise<unknown>;
  done: string;
  failed: string;
}

export function useRevoke({ listKey, revoke, done, failed }: Revoking) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: revoke,
    onSuccess: () => toast({ tone: 'good', title: done }),
    onError: (error) => toast({ tone: 'bad', title: failed, note: toProblem(error).message }),
    onSettled: () => queries.invalidateQueries({ queryKey: listKey }),
  });
}
