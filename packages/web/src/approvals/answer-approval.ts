// Sends a person's answer and finds out what became of it: taken, too late, or not heard. Never answers twice.
import type { AnswerApproval, Approval } from '@toolyard/sdk';
import { ToolyardError } from '@toolyard/sdk';
import { useState } from 'react';
import { client, socket } from '../connection/client.ts';
import { useToast } from '../controls/toast.tsx';
import { removeAnswerDraft } from '../decision-cards/answer-drafts.ts';
import { formatDecision } from '../decision-cards/format-decision.ts';
import { queueAnswer, useQueuedAnswer } from '../decision-cards/queued-answers.ts';
import { useActorNames } from '../queries/actor-names.ts';

export type Answering =
  | { kind: 'open' }
  | { kind: 'sending'; answer: AnswerApproval }
  /** `isLate`: it was answered before, by somebody else or in another window. */
  | { kind: 'decided'; approval: Approval; isLate: boolean }
  | { kind: 'failed'; error: unknown; answer: AnswerApproval };

export function useApprovalAnswer(id: string) {
  const toast = useToast();
  const nameOf = useActorNames();
  const [answering, setAnswering] = useState<Answering>({ kind: 'open' });
  const isHeld = useQueuedAnswer(id)?.takeBack !== undefined;

  async function send(answer: AnswerApproval): Promise<void> {
    if (isHeld || answering.kind === 'sending' || answering.kind === 'decided') return;
    setAnswering({ kind: 'sending', answer });
    if (!(await queueAnswer(id, toLabel(answer)))) return setAnswering({ kind: 'open' });
    try {
      const approval = await socket.answerApproval(id, answer);
      removeAnswerDraft(id);
      setAnswering({ kind: 'decided', approval, isLate: false });
    } catch (thrown) {
      const found = await findResult(id, answer, thrown);
      if (found.kind === 'decided' && !found.isLate) removeAnswerDraft(id);
      setAnswering(found);
      // The card may be gone by now; its reader must hear it all the same.
      if (found.kind === 'decided' && found.isLate) {
        toast({
          title: 'Your answer came too late',
          note: `${formatDecision(found.approval, nameOf)}. It changed nothing.`,
        });
      }
    }
  }
  // Pressed on a card that has been drawn anew since.
  const isUnderWay = isHeld && answering.kind === 'open';
  return { answering: isUnderWay ? unknownSending : answering, send };
}

const unknownSending: Answering = { kind: 'sending', answer: { decision: 'deny' } };
const labels = { once: 'Allow once', session: 'This session', always: 'Always' };

function toLabel({ decision, scope }: AnswerApproval): string {
  return decision === 'deny' ? 'Deny' : labels[scope ?? 'once'];
}

/** After an answer that was refused, or of which nobody knows whether it arrived. */
async function findResult(id: string, answer: AnswerApproval, thrown: unknown): Promise<Answering> {
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
