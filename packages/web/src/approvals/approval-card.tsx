// One approval, wherever it is asked: who asks, what exactly would run, why it is asked, and what each answer means.
import { useQuery } from '@tanstack/react-query';
import type { ListedApproval, Session } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { ShieldQuestion } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { client } from '../connection/client.ts';
import { Button } from '../controls/button.tsx';
import { AbandonedAnswer } from '../decision-cards/abandoned-answer.tsx';
import { formatRule, isHighRisk, toChoices } from '../decision-cards/format-decision.ts';
import { useTakeFocus } from '../decision-cards/keep-focus.ts';
import { ToolTitle } from '../decision-cards/tool-title.tsx';
import { useLayoutShift } from '../decision-cards/use-is-stable.ts';
import { WaitingTime } from '../decision-cards/waiting-time.tsx';
import { WhoAsks } from '../decision-cards/who-asks.tsx';
import { Badge } from '../parts/badge.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { keys } from '../queries/keys.ts';
import { useSessionInfo } from '../queries/sessions.ts';
import { HiddenPartsProvider, useHiddenParts } from '../text/hidden-parts.ts';
import { TextExcerpt } from '../text/text-excerpt.tsx';
import { type Answering, useApprovalAnswer } from './answer-approval.ts';
import { ApprovalAnswers, riskTones } from './approval-answers.tsx';
import { DecisionLine } from './decision-line.tsx';
import { toInputBrief } from './input-brief.ts';
import { InputView } from './input-view.tsx';
import { PreviewView } from './preview-view.tsx';

export interface ApprovalCardProps {
  approval: ListedApproval;
  className?: string | undefined;
}

export function ApprovalCard({ approval, className }: ApprovalCardProps) {
  const { data: session } = useSessionInfo(approval.sessionId);
  const { answering, send } = useApprovalAnswer(approval.id);
  const whole = useWhole(approval);
  const parts = useHiddenParts(approval.id);
  if (approval.state !== 'pending' || answering.kind === 'decided') {
    return <Decided approval={approval} session={session} answering={answering} className={className} />;
  }
  const shown = whole.approval ?? approval;
  return (
    <ApprovalAnswers
      approval={approval}
      choices={toChoices(shown, session)}
      answering={answering}
      isShortened={!whole.approval || (isHighRisk(approval) && parts.isHidden)}
      onAnswer={send}
      className={className}
    >
      <Head approval={approval} />
      <div className="flex flex-col gap-3 px-4 py-3">
        <Facts approval={approval}>
          <WhoAsks sessionId={approval.sessionId} lineage={approval.lineage} session={session} />
        </Facts>
        <HiddenPartsProvider value={parts.report}>
          <ShownInput approval={approval} whole={whole} />
        </HiddenPartsProvider>
        {shown.preview !== undefined && (
          <div>
            <p className="mb-1 text-xs font-medium text-faint">What it would do, as the tool says</p>
            <PreviewView text={shown.preview} />
          </div>
        )}
        {answering.kind === 'failed' && (
          <ErrorNote
            error={answering.error}
            title="Your answer was not taken"
            onRetry={() => void send(answering.answer)}
          />
        )}
      </div>
    </ApprovalAnswers>
  );
}

type Whole = ReturnType<typeof useWhole>;

/** A list holds only the ends of what is long. Read when somebody wants to see it. */
function useWhole(approval: ListedApproval) {
  const isShort = approval.shortenedFrom === undefined;
  const query = useQuery({
    queryKey: [...keys.approvals, 'one', approval.id],
    queryFn: () => client.approvals.get(approval.id),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  return {
    approval: isShort ? approval : query.data,
    read: () => void query.refetch(),
    isReading: query.isFetching,
    error: query.error,
  };
}

function Head({ approval: { tool, effect, risk } }: { approval: ListedApproval }) {
  return (
    <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 border-b px-4 py-2.5">
      <ShieldQuestion className="size-4.5 shrink-0 text-warn" aria-hidden="true" />
      <h2 className="min-w-0 flex-1 text-sm font-semibold">
        Allow <ToolTitle tool={tool} />?
      </h2>
      <Badge>{effect}</Badge>
      <Badge tone={riskTones[risk]}>{risk} risk</Badge>
    </header>
  );
}

function Facts({ approval, children }: { approval: ListedApproval; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5 text-13 text-soft">
      <p>
        {children} <span aria-hidden="true">·</span>{' '}
        <WaitingTime expiresAt={approval.expiresAt} unattended={approval.unattended} />
      </p>
      <p title={approval.rule}>{formatRule(approval.rule)}</p>
    </div>
  );
}

function ShownInput({ approval, whole }: { approval: ListedApproval; whole: Whole }) {
  const label = <p className="mb-1 text-xs font-medium text-faint">Exactly this input</p>;
  if (whole.approval) {
    return (
      <div>
        {label}
        <InputView value={whole.approval.input} isStrict startsWhole={approval.shortenedFrom !== undefined} />
      </div>
    );
  }
  const cut = typeof approval.input === 'string' ? approval.input : (JSON.stringify(approval.input) ?? '');
  return (
    <div className="flex flex-col gap-2">
      {label}
      <TextExcerpt text={cut} isStrict label="The ends of the input" />
      <div className="flex flex-wrap items-center gap-3 text-13 text-warn">
        <Button size="small" busy={whole.isReading} onClick={whole.read}>
          Show all {approval.shortenedFrom?.toLocaleString('en-US')} characters
        </Button>
        It is too long for a list. Look at all of it before you allow it.
      </div>
      {whole.error && <ErrorNote error={whole.error} onRetry={whole.read} busy={whole.isReading} />}
    </div>
  );
}

interface DecidedProps {
  approval: ListedApproval;
  session: Session | undefined;
  answering: Answering;
  className?: string | undefined;
}

function Decided({ approval, session, answering, className }: DecidedProps) {
  const decided = answering.kind === 'decided' ? answering.approval : approval;
  const isLate = answering.kind === 'decided' && answering.isLate;
  const card = useRef<HTMLElement>(null);
  useTakeFocus(card, answering.kind === 'decided');
  useLayoutShift();
  return (
    <article ref={card} tabIndex={-1} className={clsx('rounded-xl border bg-raised px-4 py-2.5', className)}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-sm font-medium">
          <ToolTitle tool={approval.tool} />
        </span>
        <span className="min-w-0 flex-1 basis-40 truncate font-mono text-xs text-faint">
          {toInputBrief(approval.input)}
        </span>
        <DecisionLine decided={decided} />
      </div>
      <p className="mt-0.5 text-13 text-soft">
        <WhoAsks sessionId={approval.sessionId} lineage={approval.lineage} session={session} />
      </p>
      {isLate && (
        <p role="status" className="mt-1 text-13 text-warn">
          Your answer came too late and changed nothing: it was answered already.
        </p>
      )}
      <AbandonedAnswer of={decided} />
      {decided.reason && <p className="mt-1 text-13 text-soft wrap-anywhere">“{decided.reason}”</p>}
    </article>
  );
}
