// What waits for a person: found by the call that asks, and counted in each session.
import type { Approval } from '../../protocol/approval.ts';
import type { Question } from '../../protocol/question.ts';
import { assertEqual } from '../support/assertions.ts';
import { insertSessions, type StoreCase, sampleTime, sessionId, turnId } from '../support/store-samples.ts';

export function sampleApproval(number: number, session: number, rest: Partial<Approval> = {}): Approval {
  return {
    id: `apr_${String(number).padStart(22, '0')}`,
    turnId: turnId(session),
    toolCallId: `call ${number}`,
    ...toPlace(session),
    tool: 'mcp__suite__pay',
    effect: 'execute',
    risk: 'high',
    input: { to: 'Ann' },
    rule: 'a rule',
    inputHash: 'a',
    schemaHash: 'b',
    grantKey: 'c',
    state: 'pending',
    unattended: 'deny',
    ...rest,
  };
}

export function sampleQuestion(number: number, session: number, rest: Partial<Question> = {}): Question {
  const id = `qst_${String(number).padStart(22, '0')}`;
  return { id, turnId: turnId(session), text: 'Which?', state: 'pending', ...toPlace(session), ...rest };
}

function toPlace(session: number) {
  const rootSessionId = sessionId(session);
  const lineage = { rootSessionId, depth: 0 };
  return { sessionId: rootSessionId, rootSessionId, lineage, createdAt: sampleTime, expiresAt: null };
}

export const pendingCases: StoreCase[] = [
  {
    title: 'counts what waits for a person in a session, and nothing that has ended or waits elsewhere',
    async play({ store }) {
      await insertSessions(store, 2);
      await store.commit(async (tx) => {
        for (const number of [1, 2, 3]) await tx.putApproval(sampleApproval(number, 1));
        await tx.putApproval(sampleApproval(3, 1, { state: 'denied' }));
        await tx.putApproval(sampleApproval(4, 2));
        await tx.putQuestion(sampleQuestion(1, 1));
        await tx.putQuestion(sampleQuestion(2, 1, { state: 'answered' }));
        assertEqual(await tx.countPending(sessionId(1)), { approvals: 2, questions: 1 }, 'within the commit');
      });
      assertEqual(
        await store.reads.countPending(sessionId(2)),
        { approvals: 1, questions: 0 },
        'another session',
      );
      assertEqual(
        await store.reads.countPending(sessionId(3)),
        { approvals: 0, questions: 0 },
        'no such session',
      );
    },
  },
  {
    title: 'finds approvals by the call that asks, whatever a model calls it',
    async play({ store }) {
      await insertSessions(store, 2);
      const odd = sampleApproval(2, 1, { toolCallId: '"a\u0000' });
      await store.commit(async (tx) => {
        await tx.putApproval(sampleApproval(1, 1));
        await tx.putApproval(odd);
      });
      const find = (toolCallId: string) => store.reads.approvals({ state: 'pending', toolCallId, limit: 10 });
      assertEqual(await find('call 1'), [sampleApproval(1, 1)], 'a plain id');
      assertEqual(await find('"a\u0000'), [odd], 'an odd id');
      assertEqual(await find('call 3'), [], 'no such call');
    },
  },
];
