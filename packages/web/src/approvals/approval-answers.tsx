// The card around what is asked: its keys, its buttons and what each would grant. Keys act only while the card has the
// focus, and nothing acts before it has stood there for a moment. Focus is never put on an answer.
import type { AnswerApproval, ListedApproval, Risk } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { Button, type ButtonVariant } from '../controls/button.tsx';
import { Kbd } from '../controls/kbd.tsx';
import { useAnswerDraft } from '../decision-cards/answer-drafts.ts';
import { type Choice, formatOnlyOnce, isHighRisk } from '../decision-cards/format-decision.ts';
import { useFocusHome } from '../decision-cards/keep-focus.ts';
import { QueuedAnswerNote } from '../decision-cards/queued-answer-note.tsx';
import { useScrollToCard } from '../decision-cards/scroll-to-card.ts';
import { ToolTitle } from '../decision-cards/tool-title.tsx';
import { useIsStable } from '../decision-cards/use-is-stable.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import type { Answering } from './answer-approval.ts';
import { DenyForm } from './deny-form.tsx';

export interface ApprovalAnswersProps {
  approval: ListedApproval;
  choices: readonly Choice[];
  answering: Answering;
  /** Not all of the input has been shown: it can be denied, not allowed. */
  isShortened: boolean;
  onAnswer(answer: AnswerApproval): void;
  className?: string | undefined;
  children: ReactNode;
}

export function ApprovalAnswers(props: ApprovalAnswersProps) {
  const { approval, choices, answering, isShortened, onAnswer } = props;
  const card = useRef<HTMLElement>(null);
  const isStable = useIsStable();
  const isSending = answering.kind === 'sending';
  useFocusHome(card, isSending);
  useScrollToCard(card, approval.id);
  const isLong = useIsLong(card);
  const [typed] = useAnswerDraft(approval);
  const [isDenying, setIsDenying] = useState(typed !== '');

  function choose(choice: Choice): void {
    if (!isStable || isSending) return;
    if (choice.decision === 'deny') setIsDenying(true);
    else if (!isShortened) onAnswer({ decision: 'allow', scope: choice.scope });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const choice = isPlainKey(event) ? choices.find(({ key }) => key === event.key) : undefined;
    if (!choice) return;
    event.preventDefault();
    event.stopPropagation();
    choose(choice);
  }

  return (
    <article
      ref={card}
      data-approval={approval.id}
      aria-label={`Approval: ${approval.tool}`}
      aria-keyshortcuts={choices.map(({ key }) => key).join(' ')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys answer while it has the focus
      tabIndex={0}
      data-list-item=""
      onKeyDown={onKeyDown}
      className={clsx(
        'group/card scroll-mt-3 overflow-hidden rounded-xl border border-warn/40 bg-raised shadow-sm outline-offset-1',
        props.className,
      )}
    >
      {props.children}
      <footer className="border-t bg-sunken/60 px-4 py-3">
        {isLong && <Reminder approval={approval} />}
        <div className="mb-2.5 empty:hidden">
          <QueuedAnswerNote id={approval.id} />
        </div>
        {isDenying ? (
          <DenyForm
            approval={approval}
            isBusy={isSending}
            onDeny={(reason) => onAnswer({ decision: 'deny', ...(reason && { reason }) })}
            onBack={() => {
              setIsDenying(false);
              card.current?.focus();
            }}
          />
        ) : (
          <Choices {...props} isStable={isStable} onChoose={choose} />
        )}
      </footer>
    </article>
  );
}

/** What the answer is about, where its beginning is out of view. */
function Reminder({ approval: { tool, effect, risk } }: { approval: ListedApproval }) {
  return (
    <p className="mb-2.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm" data-reminder="">
      <span className="min-w-0 font-semibold">
        Allow <ToolTitle tool={tool} />?
      </span>
      <Badge>{effect}</Badge>
      <Badge tone={riskTones[risk]}>{risk} risk</Badge>
    </p>
  );
}

/** A letter by itself, not typed into something and not held down. */
function isPlainKey({ target, repeat, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (repeat || ctrlKey || metaKey || altKey || shiftKey) return false;
  return !(target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]'));
}

function Choices({
  choices,
  approval,
  answering,
  isShortened,
  isStable,
  onChoose,
}: ApprovalAnswersProps & { isStable: boolean; onChoose(choice: Choice): void }) {
  const isSending = answering.kind === 'sending';
  const onlyOnce = formatOnlyOnce(approval);
  const isGraveOne = isHighRisk(approval);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {choices.map((choice) => (
          <Button
            key={choice.key}
            variant={toVariant(choice, isGraveOne)}
            disabled={!isStable || isSending || (isShortened && choice.decision === 'allow')}
            busy={isSending && answering.answer.scope === choice.scope && choice.decision === 'allow'}
            onClick={() => onChoose(choice)}
            title={choice.meaning}
          >
            {choice.label}
            <span aria-hidden="true" className="max-sm:hidden">
              <Kbd keys={choice.key} inverse={!isGraveOne && choice.scope === 'once'} />
            </span>
          </Button>
        ))}
      </div>
      <dl className="mt-2.5 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs text-soft">
        {choices
          .filter(({ decision }) => decision === 'allow')
          .map(({ key, label, meaning }) => (
            <div key={key} className="contents">
              <dt className="text-faint">{label}</dt>
              <dd className="wrap-anywhere">{meaning}</dd>
            </div>
          ))}
      </dl>
      {isShortened && (
        <p className="mt-1.5 text-xs text-warn">
          Not all of its input is shown: open it with “Show all” before you allow it.
        </p>
      )}
      {onlyOnce && <p className="mt-1.5 text-xs text-faint wrap-anywhere">{onlyOnce}</p>}
    </>
  );
}

/** What is grave has no button that invites more than the others. */
function toVariant({ decision, scope }: Choice, isGraveOne: boolean): ButtonVariant {
  if (decision === 'deny') return 'danger';
  return scope === 'once' && !isGraveOne ? 'primary' : 'plain';
}

const longFrom = 480;

/** Is a card so high that its beginning may be out of view where its answers are? */
function useIsLong(card: RefObject<HTMLElement | null>): boolean {
  const [isLong, setIsLong] = useState(false);
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    // Once long it stays so: what it then says again must not make it short.
    const look = () => setIsLong((before) => before || element.offsetHeight > longFrom);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [card]);
  return isLong;
}

/** How grave each risk looks. */
export const riskTones: Record<Risk, Tone> = { low: 'good', medium: 'warn', high: 'bad' };
