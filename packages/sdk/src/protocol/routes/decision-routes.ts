// What people decide. Part of the one table in routes.ts.
import { z } from 'zod';
import { AnswerApproval, Approval, ApprovalId, ApprovalState, ListedApproval } from '../approval.ts';
import { ListedGrant } from '../grant.ts';
import { Answer, Question, QuestionId, QuestionState } from '../question.ts';
import { SessionId } from '../session.ts';
import { type AnyRoute, listOf, noBody, none, pageAfter } from './route.ts';

export const decisionRoutes = {
  listApprovals: {
    method: 'GET',
    path: '/api/approvals',
    summary: 'Approvals, newest first',
    status: 200,
    params: none,
    query: z.strictObject({
      state: ApprovalState.optional(),
      sessionId: SessionId.optional(),
      toolCallId: z.string().max(200).optional(),
      ...pageAfter(ApprovalId),
    }),
    body: noBody,
    response: listOf(ListedApproval),
  },
  getApproval: {
    method: 'GET',
    path: '/api/approvals/:id',
    summary: 'One approval',
    status: 200,
    params: z.object({ id: z.string() }),
    query: none,
    body: noBody,
    response: Approval,
  },
  answerApproval: {
    method: 'POST',
    path: '/api/approvals/:id',
    summary: 'Allow or deny, once; a second answer gets 409 with who answered and when',
    status: 200,
    params: z.object({ id: z.string() }),
    query: none,
    body: AnswerApproval,
    response: Approval,
  },
  listQuestions: {
    method: 'GET',
    path: '/api/questions',
    summary: 'Questions, newest first',
    status: 200,
    params: none,
    query: z.strictObject({
      state: QuestionState.optional(),
      sessionId: SessionId.optional(),
      ...pageAfter(QuestionId),
    }),
    body: noBody,
    response: listOf(Question),
  },
  getQuestion: {
    method: 'GET',
    path: '/api/questions/:id',
    summary: 'One question',
    status: 200,
    params: z.object({ id: z.string() }),
    query: none,
    body: noBody,
    response: Question,
  },
  answerQuestion: {
    method: 'POST',
    path: '/api/questions/:id',
    summary: 'Answer a question, once',
    status: 200,
    params: z.object({ id: z.string() }),
    query: none,
    body: z.strictObject({ answer: Answer }),
    response: Question,
  },
  listGrants: {
    method: 'GET',
    path: '/api/grants',
    summary: 'Grants',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: listOf(ListedGrant),
  },
  revokeGrant: {
    method: 'DELETE',
    path: '/api/grants/:id',
    summary: 'Revoke a grant',
    status: 200,
    params: z.object({ id: z.string() }),
    query: none,
    body: noBody,
    response: z.object({ id: z.string() }),
  },
} as const satisfies Record<string, AnyRoute>;
