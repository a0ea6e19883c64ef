// One question of an agent: its words, what it is about, and the ways to answer.
import type { Question } from '@toolyard/sdk';
import { toReadable } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { Check, Clock, MessageCircleQuestion } from 'lucide-react';
import { Markdown } from '../markdown/markdown.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { useSessionInfo } from '../server/sessions.ts';
import { useQuestionAnswer } from './answer-question.ts';
import { QuestionForm } from './question-form.tsx';
import { useMovesOthers } from './use-steady.ts';
import { WaitingTime } from './waiting-time.tsx';
import { WhoAsks } from './who-asks.tsx';
import { sayActor } from './words.ts';

export interface QuestionCardProps {
  question: Question;
  className?: string | undefined;
}

export function QuestionCard({ question, className }: QuestionCardProps) {
  const { data: session } = useSessionInfo(question.sessionId);
  const { answering, send } = useQuestionAnswer(question.id);
  if (question.state !== 'pending' || answering.kind === 'decided') {
    const decided = answering.kind === 'decided' ? answering.question : question;
    const isLate = answering.kind === 'decided' && answering.isLate;
    return <Answered question={decided} isLate={isLate} className={className} />;
  }
  return (
    <article
      aria-label="Question"
      data-question={question.id}
      tabIndex={-1}
      className={clsx('overflow-hidden rounded-xl border border-accent/40 bg-raised shadow-sm', className)}
    >
      <header className="flex items-start gap-2.5 px-4 pt-3">
        <MessageCircleQuestion className="mt-0.5 size-4.5 shrink-0 text-accent" aria-hidden="true" />
        <div className="min-w-0 flex-1">
          <h2 className="text-[15px] font-medium whitespace-pre-wrap wrap-anywhere">
            {toReadable(question.text)}
          </h2>
          <p className="mt-0.5 text-[13px] text-soft">
            <WhoAsks sessionId={question.sessionId} lineage={question.lineage} session={session} />.{' '}
            <WaitingTime expiresAt={question.expiresAt} unattended={question.unattended} />
          </p>
        </div>
      </header>
      {question.body && (
        <div className="mx-4 mt-3 max-h-[34dvh] overflow-auto rounded-lg border bg-sunken p-4">
          <Markdown text={question.body} />
        </div>
      )}
      <div className="flex flex-col gap-3 px-4 py-3">
        <QuestionForm
          question={question}
          isBusy={answering.kind === 'sending'}
          onAnswer={(answer) => void send(answer)}
        />
        {answering.kind === 'failed' && (
          <ErrorNote
            error={answering.error}
            title="Your answer was not taken"
            onRetry={() => void send(answering.answer)}
          />
        )}
      </div>
    </article>
  );
}

const endings = {
  pending: 'Waits for an answer',
  answered: 'Answered',
  expired: 'Expired: nobody answered in time',
  cancelled: 'No longer asked: its turn has ended',
};

interface AnsweredProps {
  question: Question;
  isLate: boolean;
  className?: string | undefined;
}

function Answered({ question, isLate, className }: AnsweredProps) {
  const { state, answer, decidedBy } = question;
  const Icon = state === 'answered' ? Check : Clock;
  useMovesOthers();
  return (
    <article className={clsx('rounded-xl border bg-raised px-4 py-2.5', className)}>
      <p className="text-sm font-medium whitespace-pre-wrap wrap-anywhere">{toReadable(question.text)}</p>
      <p className="mt-0.5 flex items-center gap-1.5 text-[13px] text-soft">
        <Icon
          className={clsx('size-3.5', state === 'answered' ? 'text-good' : 'text-warn')}
          aria-hidden="true"
        />
        {endings[state]}
        {decidedBy && decidedBy.kind !== 'system' && ` ${sayActor(decidedBy)}`}
      </p>
      {answer !== undefined && (
        <p className="mt-1 text-sm whitespace-pre-wrap wrap-anywhere">
          {toReadable([answer].flat().join(', '))}
        </p>
      )}
      {isLate && (
        <p role="status" className="mt-1 text-[13px] text-warn">
          Your answer came too late and changed nothing: it was answered already.
        </p>
      )}
    </article>
  );
}
