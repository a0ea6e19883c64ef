// Which card comes next for whoever goes through what waits. Pure.
import type { ListedApproval, Question } from '@toolyard/sdk';
import { compareAsked } from '../asking/asked.ts';

export interface Asking {
  id: string;
  at: string;
  sessionId: string;
  rootSessionId: string;
}

export function toAsking(approvals: readonly ListedApproval[], questions: readonly Question[]): Asking[] {
  return [...approvals, ...questions]
    .map(({ id, createdAt: at, sessionId, lineage: { rootSessionId } }) => ({
      id,
      at,
      sessionId,
      rootSessionId,
    }))
    .sort(compareAsked);
}

/** Of the conversation that is open first, then the oldest; each once. */
export function findNext(
  all: readonly Asking[],
  met: ReadonlySet<string>,
  openId: string | undefined,
): Asking | undefined {
  const left = all.filter(({ id }) => !met.has(id));
  const isHere = ({ sessionId, rootSessionId }: Asking) => sessionId === openId || rootSessionId === openId;
  return left.find(isHere) ?? left[0];
}
