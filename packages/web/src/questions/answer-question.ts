// Sends the answer to a question and finds out what became of it.
import { type Answer, type Question, ToolyardError } from '@toolyard/sdk';
import { useState } from 'react';
import { client, socket } from '../connection/client.ts';
import { useToast } from '../controls/toast.tsx';
import { removeAnswerDraft } from '../decision-cards/answer-drafts.ts';
import { queueAnswer, useQueuedAnswer } from '../decision-cards/queued-answers.ts';

export type AnsweringQuestion =
  | { kind: 'open' }
  | { kind: 'sending' }
  | { kind: 'decided'; question: Question; isLate: boolean }
  | { kind: 'failed'; error: unknown; answer: Answer };

export function useQuestionAnswer(id: string) {
  const toast = useToast();
  const [answering, setAnswering] = useState<AnsweringQuestion>({ kind: 'open' });
  const isHeld = useQueuedAnswer(id)?.takeBack !== undefined;

  async function send(answer: Answer): Promise<void> {
    if (isHeld || answering.kind === 'sending' || answering.kind === 'decided') return;
    setAnswering({ kind: 'sending' });
    if (!(await queueAnswer(id, [answer].flat().join(', ').slice(0, 80))))
      return setAnswering({ kind: 'open' });
    try {
      const question = await socket.answerQuestion(id, answer);
      removeAnswerDraft(id);
      setAnswering({ kind: 'decided', question, isLate: false });
    } catch (thrown) {
      const found = await findResult(id, answer, thrown);
      if (found.kind === 'decided' && !found.isLate) removeAnswerDraft(id);
      setAnswering(found);
      if (found.kind === 'decided' && found.isLate) {
        toast({ title: 'Your answer came too late', note: 'The question was answered already.' });
      }
    }
  }
  // Pressed on a card that has been drawn anew since.
  const isUnderWay = isHeld && answering.kind === 'open';
  return { answering: isUnderWay ? sending : answering, send };
}

const sending: AnsweringQuestion = { kind: 'sending' };

async function findResult(id: string, answer: Answer, thrown: unknown): Promise<AnsweringQuestion> {
  const failed: AnsweringQuestion = { kind: 'failed', error: thrown, answer };
  if (!(thrown instanceof ToolyardError)) return failed;
  if (thrown.code !== 'already_answered' && thrown.code !== 'server_unreachable') return failed;
  const question = await client.questions.get(id).catch(() => undefined);
  if (!question || question.state === 'pending') return failed;
  const isSame = JSON.stringify(question.answer) === JSON.stringify(answer);
  return { kind: 'decided', question, isLate: thrown.code === 'already_answered' || !isSame };
}
