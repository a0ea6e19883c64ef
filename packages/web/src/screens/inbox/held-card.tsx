// A card of the inbox. One that waits no more though nobody is known to have answered is looked up: its session may have
// been deleted, and then it is said and can be put away.
import { useQuery } from '@tanstack/react-query';
import { type ListedApproval, type Question, ToolyardError, toReadable } from '@toolyard/sdk';
import { Trash2 } from 'lucide-react';
import { ApprovalCard } from '../../approvals/approval-card.tsx';
import { LeftWordsFor } from '../../asking/left-words.tsx';
import { ToolTitle } from '../../asking/tool-title.tsx';
import { client } from '../../connection/client.ts';
import { Button } from '../../controls/button.tsx';
import { QuestionCard } from '../../questions/question-card.tsx';
import { keys } from '../../server/keys.ts';
import type { HeldAsked } from './use-held.ts';

export interface HeldCardProps {
  asked: HeldAsked;
  onRelease(): void;
}

export function HeldCard({ asked, onRelease }: HeldCardProps) {
  const { id, isMissing } = asked;
  const { data, error } = useQuery<{ approval: ListedApproval } | { question: Question }>({
    queryKey: [...(asked.approval ? keys.approvals : keys.questions), 'missing', id],
    queryFn: async () =>
      asked.approval
        ? { approval: await client.approvals.get(id) }
        : { question: await client.questions.get(id) },
    enabled: isMissing,
  });
  if (isMissing && isGone(error)) return <GoneCard asked={asked} onRelease={onRelease} />;
  const { approval, question } = { ...asked, ...(isMissing && data) };
  if (approval) return <ApprovalCard approval={approval} />;
  return question ? <QuestionCard question={question} /> : null;
}

function isGone(error: unknown): boolean {
  return error instanceof ToolyardError && error.code.endsWith('_not_found');
}

function GoneCard({ asked: { id, approval, question }, onRelease }: HeldCardProps) {
  return (
    <article aria-label="Gone" className="flex flex-col gap-2 rounded-xl border bg-raised px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 text-sm font-medium wrap-anywhere">
          {approval ? <ToolTitle tool={approval.tool} /> : toReadable(question?.text ?? '')}
        </span>
        <span role="status" className="flex items-center gap-1.5 text-13 text-soft">
          <Trash2 className="size-3.5" aria-hidden="true" />
          No longer asked: its session was deleted
        </span>
        <Button size="small" onClick={onRelease}>
          Put away
        </Button>
      </div>
      <LeftWordsFor id={id} />
    </article>
  );
}
