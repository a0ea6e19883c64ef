// One task: what it is, who worked on it and what came of that, and the hand-over for whoever is next.
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type Task, toReadable } from '@toolyard/sdk';
import { ArrowLeft, Bot } from 'lucide-react';
import { useState } from 'react';
import { sayCount } from '../../agents/agent-words.ts';
import { DraftAgentDialog } from '../../agents/draft-agent-dialog.tsx';
import { Button } from '../../controls/button.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { Tabs } from '../../controls/tabs.tsx';
import type { TaskTab } from '../../navigation/search.ts';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Money } from '../../parts/money.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { useTask } from '../../server/agents.ts';
import { CloseTaskDialog } from './close-task-dialog.tsx';
import { DispatchCard } from './dispatch-card.tsx';
import { TaskContextView } from './task-context.tsx';
import { TaskStatusBadge } from './task-status.tsx';

export function TaskScreen() {
  const { slug } = useParams({ from: '/tasks/$slug' });
  const task = useTask(slug);
  const found = task.data?.pages[0];
  const [open, setOpen] = useState<'draft' | 'close'>();
  return (
    <Screen
      title={slug}
      note={found?.description && toReadable(found.description)}
      actions={found?.status === 'open' && <Actions onOpen={setOpen} />}
    >
      <Link
        to="/tasks"
        className="-mt-2 flex w-fit items-center gap-1.5 rounded text-13 text-soft hover:text-ink"
      >
        <ArrowLeft className="size-3.5" aria-hidden="true" />
        All tasks
      </Link>
      {task.error && (
        <ErrorNote
          error={task.error}
          title="The task could not be read"
          onRetry={() => void task.refetch()}
        />
      )}
      {task.isPending && !task.error && <SkeletonLines count={6} label="Reading the task" />}
      {found && (
        <>
          <Facts task={found} />
          <Views slug={slug} task={task} />
        </>
      )}
      {open === 'draft' && <DraftAgentDialog task={slug} onClose={() => setOpen(undefined)} />}
      {open === 'close' && found && <CloseTaskDialog task={found} onClose={() => setOpen(undefined)} />}
    </Screen>
  );
}

function Actions({ onOpen }: { onOpen(what: 'draft' | 'close'): void }) {
  return (
    <>
      <Button onClick={() => onOpen('close')}>Close…</Button>
      <Button variant="primary" icon={<Bot className="size-4" />} onClick={() => onOpen('draft')}>
        Draft an agent
      </Button>
    </>
  );
}

function Facts({ task }: { task: Task }) {
  const { status, dispatchCount, liveCount, costUsd, createdAt, closedAt, outcome } = task;
  return (
    <div className="flex flex-col gap-1 text-13 text-soft">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <TaskStatusBadge status={status} />
        {liveCount > 0 && <Badge tone="accent">{liveCount} at work</Badge>}
        <span>{sayCount(dispatchCount, 'dispatch', 'dispatches')}</span>
        <Money usd={costUsd} zero="free" />
        <span>
          made <Time at={createdAt} />
        </span>
        {closedAt && (
          <span>
            closed <Time at={closedAt} />
          </span>
        )}
      </p>
      {outcome && <p className="max-w-prose whitespace-pre-line wrap-anywhere">{toReadable(outcome)}</p>}
    </div>
  );
}

function Views({ slug, task }: { slug: string; task: ReturnType<typeof useTask> }) {
  const { tab = 'history' } = useSearch({ from: '/tasks/$slug' });
  const navigate = useNavigate({ from: '/tasks/$slug' });
  return (
    <Tabs<TaskTab>
      label="About the task"
      value={tab}
      onChange={(value) => void navigate({ search: { tab: value }, replace: true })}
      tabs={[
        { value: 'history', label: 'History', content: <History task={task} /> },
        { value: 'context', label: 'Context', content: <TaskContextView slug={slug} /> },
      ]}
    />
  );
}

function History({ task }: { task: ReturnType<typeof useTask> }) {
  const dispatches = (task.data?.pages ?? []).flatMap((page) => page.dispatches.items);
  if (dispatches.length === 0) {
    return (
      <EmptyState
        icon={<Bot />}
        title="Nobody has worked on it yet"
        note="Draft an agent, or begin a session on it with run --task."
      />
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label="Dispatches" className="flex flex-col gap-3">
        {dispatches.map((dispatch) => (
          <li key={dispatch.id}>
            <DispatchCard dispatch={dispatch} />
          </li>
        ))}
      </ul>
      {task.hasNextPage && (
        <Button
          className="self-center"
          busy={task.isFetchingNextPage}
          onClick={() => void task.fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </div>
  );
}
