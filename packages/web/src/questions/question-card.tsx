// One question of an agent: its words, what it is about, and the ways to answer.
import type { Question } from '@toolyard/sdk';
import { toReadable } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { Check, Clock, MessageCircleQuestion } from 'lucide-react';
import { useRef } from 'react';
import { AbandonedAnswer } from '../decision-cards/abandoned-answer.tsx';
import { formatQuestionEnd } from '../decision-cards/format-decision.ts';
import { useFocusHome, useTakeFocus } from '../decision-cards/keep-focus.ts';
import { QueuedAnswerNote } from '../decision-cards/queued-answer-note.tsx';
import { useLayoutShift } from '../decision-cards/use-is-stable.ts';
import { WaitingTime } from '../decision-cards/waiting-time.tsx';
import { WhoAsks } from '../decision-cards/who-asks.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { useActorNames } from '../queries/actor-names.ts';
import { useSessionInfo } from '../queries/sessions.ts';
import { useQuestionAnswer } from './answer-question.ts';
import { QuestionForm } from './question-form.tsx';

export interface QuestionCardProps {
  question: Question;
  className?: string | undefined;
}

export function QuestionCard({ question, className }: QuestionCardProps) {
  const { answering, send } = useQuestionAnswer(question.id);
  if (question.state !== 'pending' || answering.kind === 'decided') {
    const decided = answering.kind === 'decided' ? answering.question : question;
    const isLate = answering.kind === 'decided' && answering.isLate;
    const isMine = answering.kind === 'decided';
    return <Answered question={decided} isLate={isLate} isMine={isMine} className={className} />;
  }
  return <Open question={question} answering={answering} send={send} className={className} />;
}

type OpenProps = QuestionCardProps & ReturnType<typeof useQuestionAnswer>;

function Open({ question, answering, send, className }: OpenProps) {
  const { data: session } = useSessionInfo(question.sessionId);
  const card = useRef<HTMLElement>(null);
  useFocusHome(card, answering.kind === 'sending');
  return (
    <article
      ref={card}
      aria-label="Question"
      data-list-item=""
      data-question={question.id}
      tabIndex={-1}
      className={clsx(
        'scroll-mt-3 overflow-hidden rounded-xl border border-accent/40 bg-raised shadow-sm',
        className,
      )}
    >
      <header className="flex items-start gap-2.5 px-4 pt-3">
        <MessageCircleQuestion className="mt-0.5 size-4.5 shrink-0 text-accent" aria-hidden="true" />
        <div className="min-w-0 flex-1">
          <h2 dir="auto" className="text-15 font-medium whitespace-pre-wrap wrap-anywhere">
            {toReadable(question.text)}
          </h2>
          <p className="mt-0.5 text-13 text-soft">
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
        <QueuedAnswerNote id={question.id} />
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

interface AnsweredProps {
  question: Question;
  isLate: boolean;
  /** It was answered here. */
  isMine: boolean;
  className?: string | undefined;
}

function Answered({ question, isLate, isMine, className }: AnsweredProps) {
  const { state, answer } = question;
  const nameOf = useActorNames();
  const card = useRef<HTMLElement>(null);
  useTakeFocus(card, isMine);
  const Icon = state === 'answered' ? Check : Clock;
  useLayoutShift();
  return (
    <article ref={card} tabIndex={-1} className={clsx('rounded-xl border bg-raised px-4 py-2.5', className)}>
      <p className="text-sm font-medium whitespace-pre-wrap wrap-anywhere">{toReadable(question.text)}</p>
      <p className="mt-0.5 flex items-center gap-1.5 text-13 text-soft">
        <Icon
          className={clsx('size-3.5', state === 'answered' ? 'text-good' : 'text-warn')}
          aria-hidden="true"
        />
        {formatQuestionEnd(question, nameOf)}
      </p>
      {answer !== undefined && (
        <p className="mt-1 text-sm whitespace-pre-wrap wrap-anywhere">
          {toReadable([answer].flat().join(', '))}
        </p>
      )}
      <AbandonedAnswer of={question} />
      {isLate && (
        <p role="status" className="mt-1 text-13 text-warn">
          Your answer came too late and changed nothing: it was answered already.
        </p>
      )}
    </article>
  );
}
