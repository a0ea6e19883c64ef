// How many people's answers are awaited, over all sessions, and what for.
import { useQuery } from '@tanstack/react-query';
import type { Agent } from '@toolyard/sdk';
import { useMemo } from 'react';
import { client } from '../connection/client.ts';
import { keys } from './keys.ts';

const maxPending = 500;

/** The inbox reads the same two lists under the same names. */
export const pendingApprovals = {
  queryKey: [...keys.approvals, 'pending'],
  queryFn: () => client.approvals.list({ state: 'pending', limit: maxPending }),
};
export const pendingQuestions = {
  queryKey: [...keys.questions, 'pending'],
  queryFn: () => client.questions.list({ state: 'pending', limit: maxPending }),
};

const none: never[] = [];

export function usePending() {
  const approvals = useQuery(pendingApprovals);
  const questions = useQuery(pendingQuestions);
  const asked = approvals.data?.items ?? none;
  const wondered = questions.data?.items ?? none;
  return {
    approvals: asked,
    questions: wondered,
    count: asked.length + wondered.length,
    isLoaded: approvals.data !== undefined && questions.data !== undefined,
  };
}

/** Sessions in which, or under which, somebody waits for a person. */
export function useAskingSessions(): ReadonlySet<string> {
  const { approvals, questions } = usePending();
  return useMemo(
    () =>
      new Set(
        [...approvals, ...questions].flatMap(({ sessionId, lineage }) => [sessionId, lineage.rootSessionId]),
      ),
    [approvals, questions],
  );
}

/** Whether a person's answer is what an agent waits for. */
export function useAsks({ sessionId, status }: Pick<Agent, 'sessionId' | 'status'>): boolean {
  const { approvals, questions } = usePending();
  return status === 'waiting' && [...approvals, ...questions].some((asked) => asked.sessionId === sessionId);
}
