// One task: what it is, who worked on it and what came of that, and the hand-over for whoever is next.
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type Task, toReadable } from '@toolyard/sdk';
import { ArrowLeft, Bot } from 'lucide-react';
import { useState } from 'react';
import { DraftAgentDialog } from '../../agents/draft-agent-dialog.tsx';
import { formatCount } from '../../agents/format-agent.ts';
import { Button } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { Tabs } from '../../controls/tabs.tsx';
import { Markdown } from '../../markdown/markdown.tsx';
import type { TaskTab } from '../../navigation/search-params.ts';
import { Money } from '../../parts/amounts.tsx';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { useTask, useTaskContext } from '../../queries/agents.ts';
import { CloseTaskDialog } from './close-task-dialog.tsx';
import { DispatchCard } from './dispatch-card.tsx';
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
        <span>{formatCount(dispatchCount, 'dispatch', 'dispatches')}</span>
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

/** As the server counts them. */
const charactersPerToken = 4;

/** The hand-over of a task, as the next agent gets it. Its quotations are agents' words: shown, not believed. */
function TaskContextView({ slug }: { slug: string }) {
  const { data, error, refetch } = useTaskContext(slug);
  if (error)
    return <ErrorNote error={error} title="The context could not be read" onRetry={() => void refetch()} />;
  if (!data) return <SkeletonLines count={8} label="Reading the context" />;
  const tokens = Math.ceil(data.context.length / charactersPerToken);
  return (
    <section aria-label="Context" className="overflow-hidden rounded-xl border bg-raised">
      <header className="flex items-center gap-3 border-b px-4 py-1.5">
        <p className="min-w-0 flex-1 text-13 text-soft">
          What the next agent is told, about {tokens.toLocaleString('en-US')} tokens
        </p>
        <CopyButton text={data.context} label="Copy the context" />
      </header>
      <div className="p-4">
        <Markdown text={data.context} />
      </div>
    </section>
  );
}
