// Which card comes next for whoever goes through what waits. Pure.
import type { ListedApproval, Question } from '@toolyard/sdk';
import { compareAsked } from '../decision-cards/asked.ts';

export interface PendingItem {
  id: string;
  at: string;
  sessionId: string;
  rootSessionId: string;
}

export function toPendingItems(
  approvals: readonly ListedApproval[],
  questions: readonly Question[],
): PendingItem[] {
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
  all: readonly PendingItem[],
  met: ReadonlySet<string>,
  openId: string | undefined,
): PendingItem | undefined {
  const left = all.filter(({ id }) => !met.has(id));
  const isHere = ({ sessionId, rootSessionId }: PendingItem) =>
    sessionId === openId || rootSessionId === openId;
  return left.find(isHere) ?? left[0];
}
