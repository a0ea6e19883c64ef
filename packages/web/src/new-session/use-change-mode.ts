// Switches the permission mode of a session, and tells when that failed.
import { useQueryClient } from '@tanstack/react-query';
import type { PermissionMode } from '@toolyard/sdk';
import { client } from '../connection/client.ts';
import { toProblem } from '../connection/problems.ts';
import { useToast } from '../controls/toast.tsx';
import { keepSession } from '../queries/sessions.ts';

/** Never throws. */
export function useChangeMode(): (sessionId: string, mode: PermissionMode) => Promise<void> {
  const queries = useQueryClient();
  const toast = useToast();
  return async (sessionId, mode) => {
    try {
      keepSession(queries, await client.sessions.change(sessionId, { mode }));
    } catch (thrown) {
      toast({ tone: 'bad', title: 'The mode could not be changed', note: toProblem(thrown).message });
    }
  };
}
