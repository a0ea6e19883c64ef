// Words that somebody was still writing when another answered: who did, and the words, until they are put away.
import { useQuery } from '@tanstack/react-query';
import { type Approval, type Question, ToolyardError } from '@toolyard/sdk';
import { PenLine } from 'lucide-react';
import { useRef } from 'react';
import { client } from '../connection/client.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { useActorNames } from '../queries/actor-names.ts';
import { keys } from '../queries/keys.ts';
import { type AnswerDraft, isAnswerDraftIn, removeAnswerDraft, useAnswerDrafts } from './answer-drafts.ts';
import { formatDecision, formatQuestionEnd, type NameOf } from './format-decision.ts';
import { useTakeFocus } from './keep-focus.ts';

export interface AbandonedAnswersOfProps {
  sessionId: string;
  /** What is still asked there. */
  asked: readonly { id: string }[];
}

/** Of one session, whose cards are gone once they are answered. */
export function AbandonedAnswersOf({ sessionId, asked }: AbandonedAnswersOfProps) {
  const open = new Set(asked.map(({ id }) => id));
  const typed = useAnswerDrafts().filter((each) => isAnswerDraftIn(each, sessionId) && !open.has(each.id));
  if (typed.length === 0) return null;
  return (
    <div className="px-4 pb-2 sm:px-6">
      <div className="mx-auto flex max-w-3xl flex-col gap-2">
        {typed.map((each) => (
          <Found key={each.id} typed={each} />
        ))}
      </div>
    </div>
  );
}

/** Of one whose session is gone. */
export function AbandonedAnswerFor({ id }: { id: string }) {
  const typed = useAnswerDrafts().find((each) => each.id === id);
  return typed ? <Note typed={typed} of={undefined} /> : null;
}

/** Of one that is known to have been answered. */
export function AbandonedAnswer({ of }: { of: Approval | Question }) {
  const typed = useAnswerDrafts().find(({ id }) => id === of.id);
  return typed ? <Note typed={typed} of={of} /> : null;
}

function Found({ typed }: { typed: AnswerDraft }) {
  const isApproval = typed.id.startsWith('apr_');
  const { data, error } = useQuery<Approval | Question>({
    queryKey: [...(isApproval ? keys.approvals : keys.questions), 'typed', typed.id],
    queryFn: () => (isApproval ? client.approvals.get(typed.id) : client.questions.get(typed.id)),
  });
  // While it is not known whether somebody answered, nothing is said: its form may still come.
  const isNotFound = error instanceof ToolyardError && error.code !== 'server_unreachable';
  if (data ? data.state === 'pending' : !isNotFound) return null;
  return <Note typed={typed} of={data} />;
}

function Note({ typed: { id, words }, of }: { typed: AnswerDraft; of: Approval | Question | undefined }) {
  const nameOf = useActorNames();
  const field = useRef<HTMLTextAreaElement>(null);
  // Whoever goes on typing must not set off the page's keys.
  useTakeFocus(field, true);
  const end = of ? formatEnd(of, nameOf) : 'No longer asked';
  return (
    <section
      aria-label="What you were writing"
      className="flex flex-col gap-1.5 rounded-xl border border-warn/40 bg-warn-wash px-4 py-2.5"
    >
      <p role="status" className="flex items-start gap-2 text-13">
        <PenLine className="mt-0.5 size-3.5 shrink-0 text-warn" aria-hidden="true" />
        <span className="min-w-0 wrap-anywhere">
          <span className="font-medium">{end}.</span> What you were writing was not sent:
        </span>
      </p>
      <div className="flex items-start gap-1.5">
        <textarea
          ref={field}
          readOnly
          rows={1}
          aria-label="Your words"
          value={words}
          className="min-w-0 flex-1 max-h-32 resize-none [field-sizing:content] rounded-lg border bg-raised px-2.5 py-1.5 text-sm"
        />
        <CopyButton text={words} label="Copy your words" />
        <Button size="small" onClick={() => removeAnswerDraft(id)}>
          Dismiss
        </Button>
      </div>
    </section>
  );
}

function formatEnd(of: Approval | Question, nameOf: NameOf): string {
  return 'tool' in of ? formatDecision(of, nameOf) : formatQuestionEnd(of, nameOf);
}
