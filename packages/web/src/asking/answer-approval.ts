// Sends a person's answer and finds out what became of it: taken, too late, or not heard. Never answers twice.
import type { AnswerApproval, Approval } from '@toolyard/sdk';
import { ToolyardError } from '@toolyard/sdk';
import { useState } from 'react';
import { useToast } from '../parts/toast.tsx';
import { client, socket } from '../server/client.ts';
import { sayDecision } from './words.ts';

export type Answering =
  | { kind: 'open' }
  | { kind: 'sending'; answer: AnswerApproval }
  /** `isLate`: it was answered before, by somebody else or in another window. */
  | { kind: 'decided'; approval: Approval; isLate: boolean }
  | { kind: 'failed'; error: unknown; answer: AnswerApproval };

export function useApprovalAnswer(id: string) {
  const toast = useToast();
  const [answering, setAnswering] = useState<Answering>({ kind: 'open' });

  async function send(answer: AnswerApproval): Promise<void> {
    if (answering.kind === 'sending' || answering.kind === 'decided') return;
    setAnswering({ kind: 'sending', answer });
    try {
      const approval = await socket.answerApproval(id, answer);
      setAnswering({ kind: 'decided', approval, isLate: false });
    } catch (thrown) {
      const found = await look(id, answer, thrown);
      setAnswering(found);
      // The card may be gone by now; its reader must hear it all the same.
      if (found.kind === 'decided' && found.isLate) {
        toast({
          title: 'Your answer came too late',
          note: `${sayDecision(found.approval)}. It changed nothing.`,
        });
      }
    }
  }
  return { answering, send };
}

/** After an answer that was refused, or of which nobody knows whether it arrived. */
async function look(id: string, answer: AnswerApproval, thrown: unknown): Promise<Answering> {
  const failed: Answering = { kind: 'failed', error: thrown, answer };
  if (!(thrown instanceof ToolyardError)) return failed;
  if (thrown.code !== 'already_answered' && thrown.code !== 'server_unreachable') return failed;
  const approval = await client.approvals.get(id).catch(() => undefined);
  if (!approval || approval.state === 'pending') return failed;
  const isLate = thrown.code === 'already_answered' || !isMine(approval, answer);
  return { kind: 'decided', approval, isLate };
}

/** Our own answer, whose acknowledgement was lost with the line. */
function isMine({ state, decidedBy, scope }: Approval, answer: AnswerApproval): boolean {
  const isSame = state === (answer.decision === 'allow' ? 'allowed' : 'denied');
  return isSame && decidedBy?.via === 'web' && scope === answer.scope;
}
