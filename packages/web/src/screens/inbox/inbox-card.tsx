// A card of the inbox. One that waits no more though nobody is known to have answered is looked up: its session may have
// been deleted, and then it is said and can be put away.
import { useQuery } from '@tanstack/react-query';
import { type ListedApproval, type Question, ToolyardError, toReadable } from '@toolyard/sdk';
import { Trash2 } from 'lucide-react';
import { ApprovalCard } from '../../approvals/approval-card.tsx';
import { client } from '../../connection/client.ts';
import { Button } from '../../controls/button.tsx';
import { AbandonedAnswerFor } from '../../decision-cards/abandoned-answer.tsx';
import { ToolTitle } from '../../decision-cards/tool-title.tsx';
import { keys } from '../../queries/keys.ts';
import { QuestionCard } from '../../questions/question-card.tsx';
import type { InboxItem } from './use-inbox-items.ts';

export interface InboxCardProps {
  asked: InboxItem;
  onRelease(): void;
}

export function InboxCard({ asked, onRelease }: InboxCardProps) {
  const { id, isMissing } = asked;
  const { data, error } = useQuery<{ approval: ListedApproval } | { question: Question }>({
    queryKey: [...(asked.approval ? keys.approvals : keys.questions), 'missing', id],
    queryFn: async () =>
      asked.approval
        ? { approval: await client.approvals.get(id) }
        : { question: await client.questions.get(id) },
    enabled: isMissing,
  });
  if (isMissing && isNotFound(error)) return <DeletedCard asked={asked} onRelease={onRelease} />;
  const { approval, question } = { ...asked, ...(isMissing && data) };
  if (approval) return <ApprovalCard approval={approval} />;
  return question ? <QuestionCard question={question} /> : null;
}

function isNotFound(error: unknown): boolean {
  return error instanceof ToolyardError && error.code.endsWith('_not_found');
}

function DeletedCard({ asked: { id, approval, question }, onRelease }: InboxCardProps) {
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
      <AbandonedAnswerFor id={id} />
    </article>
  );
}
