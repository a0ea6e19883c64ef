// What waits for a person, over all sessions, and what was answered lately. What is answered stays where it stood until
// the screen is left, so that nothing moves under the hand.
import { useQuery } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import { useRef } from 'react';
import { client } from '../../connection/client.ts';
import { useListKeys } from '../../controls/list-keys.ts';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { toAskedApprovals, toAskedQuestions } from '../../decision-cards/asked.ts';
import { focusHome, showCard } from '../../decision-cards/keep-focus.ts';
import { CountBadge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { keys } from '../../queries/keys.ts';
import { pendingApprovals, pendingQuestions } from '../../queries/pending.ts';
import { InboxCard } from './inbox-card.tsx';
import { RecentList } from './recent-list.tsx';
import { type InboxItem, useInboxItems } from './use-inbox-items.ts';

export function InboxScreen() {
  const approvals = useQuery(pendingApprovals);
  const questions = useQuery(pendingQuestions);
  const recent = [useQuery(recentApprovals), useQuery(recentQuestions)] as const;
  const pending = [...toAskedApprovals(approvals.data?.items), ...toAskedQuestions(questions.data?.items)];
  const answered = [...toAskedApprovals(recent[0].data?.items), ...toAskedQuestions(recent[1].data?.items)];
  const { held, release } = useInboxItems(pending, answered);
  const ids = new Set(held.map(({ id }) => id));
  const error = approvals.error ?? questions.error;
  const inbox = useRef<HTMLElement>(null);
  useListKeys(inbox, showCard);
  const isReading = approvals.isPending || questions.isPending;
  return (
    <main ref={inbox} {...focusHome} tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-6 sm:px-6">
        <header className="flex items-center gap-3">
          <h1 className="text-xl font-semibold">Inbox</h1>
          <CountBadge count={pending.length} label="wait for you" />
        </header>
        {error && (
          <ErrorNote
            error={error}
            title="The inbox could not be read"
            onRetry={() => void Promise.all([approvals.refetch(), questions.refetch()])}
          />
        )}
        {isReading && !error && <SkeletonLines count={5} label="Reading the inbox" />}
        {!isReading && !error && held.length === 0 && <Nothing />}
        <Waiting asked={held} onRelease={release} />
        <RecentList asked={answered.filter(({ id, isPending }) => !isPending && !ids.has(id))} />
      </div>
    </main>
  );
}

interface WaitingProps {
  asked: readonly InboxItem[];
  onRelease(id: string): void;
}

function Waiting({ asked, onRelease }: WaitingProps) {
  if (asked.length === 0) return null;
  return (
    <section aria-label="Waits for you" className="flex flex-col gap-4">
      {asked.map((each) => (
        <InboxCard key={each.id} asked={each} onRelease={() => onRelease(each.id)} />
      ))}
    </section>
  );
}

function Nothing() {
  return (
    <EmptyState
      icon={<Inbox />}
      title="Nothing waits for you"
      note="When an agent needs your approval or has a question, it appears here, whichever session it is in. The count stands in the title of this tab."
    />
  );
}

const maxItems = 50;

/** What was asked lately, whatever became of it. */
const recentApprovals = {
  queryKey: [...keys.approvals, 'recent'],
  queryFn: () => client.approvals.list({ limit: maxItems }),
};
const recentQuestions = {
  queryKey: [...keys.questions, 'recent'],
  queryFn: () => client.questions.list({ limit: maxItems }),
};
