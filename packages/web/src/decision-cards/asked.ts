// Approvals and questions in one list. Pure.
import type { ListedApproval, Question } from '@toolyard/sdk';

export interface Asked {
  id: string;
  /** When it was asked. */
  at: string;
  decidedAt?: string | undefined;
  isPending: boolean;
  approval?: ListedApproval;
  question?: Question;
}

export function toAskedApprovals(approvals: readonly ListedApproval[] = []): Asked[] {
  return approvals.map((approval) => ({ ...toFacts(approval), approval }));
}

export function toAskedQuestions(questions: readonly Question[] = []): Asked[] {
  return questions.map((question) => ({ ...toFacts(question), question }));
}

/** The oldest first. Of what was asked in the same moment the ids tell: past their prefix they sort by time. */
export function compareAsked(one: Pick<Asked, 'id' | 'at'>, other: Pick<Asked, 'id' | 'at'>): number {
  return one.at.localeCompare(other.at) || one.id.slice(4).localeCompare(other.id.slice(4));
}

function toFacts({ id, state, createdAt, decidedAt }: ListedApproval | Question) {
  return { id, at: createdAt, decidedAt, isPending: state === 'pending' };
}
