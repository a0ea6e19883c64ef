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

function toFacts({ id, state, createdAt, decidedAt }: ListedApproval | Question) {
  return { id, at: createdAt, decidedAt, isPending: state === 'pending' };
}
