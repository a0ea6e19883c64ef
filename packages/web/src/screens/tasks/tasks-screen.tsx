// What agents work on: every task with how much was done on it, and a way to make one.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Task, type TaskStatus, toVisibleLine } from '@toolyard/sdk';
import { ListTodo, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { formatCount } from '../../agents/format-agent.ts';
import { useProgram } from '../../connection/health.ts';
import { Button } from '../../controls/button.tsx';
import { moveInList, useListKeys } from '../../controls/list-keys.ts';
import { Segments } from '../../controls/segments.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { Money } from '../../parts/amounts.tsx';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Screen } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';
import { useTasks } from '../../queries/agents.ts';
import { CreateTaskDialog } from './create-task-dialog.tsx';
import { TaskStatusBadge } from './task-status.tsx';

const statuses = [
  { value: 'all', label: 'All' },
  { value: 'open', label: 'Open' },
  { value: 'closed', label: 'Closed' },
] as const;

export function TasksScreen() {
  const { status } = useSearch({ from: '/tasks' });
  const navigate = useNavigate({ from: '/tasks' });
  const [isMaking, setIsMaking] = useState(false);
  const make = () => setIsMaking(true);
  return (
    <Screen
      title="Tasks"
      note="Pieces of work that outlive the sessions that worked on them: what was done, by whom, and what is open."
      actions={
        <>
          <Segments
            label="Status"
            value={status ?? 'all'}
            options={statuses}
            onChange={(value) =>
              void navigate({ search: value === 'all' ? {} : { status: value }, replace: true })
            }
          />
          <Button variant="primary" icon={<Plus className="size-4" />} onClick={make}>
            New task
          </Button>
        </>
      }
    >
      <TaskList status={status} onMake={make} />
      {isMaking && <CreateTaskDialog onClose={() => setIsMaking(false)} />}
    </Screen>
  );
}

interface TaskListProps {
  status: TaskStatus | undefined;
  onMake(): void;
}

function TaskList({ status, onMake }: TaskListProps) {
  const tasks = useTasks(status);
  const list = useRef<HTMLUListElement>(null);
  useListKeys(list);
  const items = (tasks.data?.pages ?? []).flatMap((page) => page.items);
  return (
    <>
      {tasks.error && (
        <ErrorNote
          error={tasks.error}
          title="The tasks could not be read"
          onRetry={() => void tasks.refetch()}
        />
      )}
      {tasks.isPending && !tasks.error && <SkeletonLines count={6} label="Reading tasks" />}
      {tasks.data && items.length === 0 && <NoTasks status={status} onMake={onMake} />}
      {items.length > 0 && (
        <ul
          ref={list}
          aria-label="Tasks"
          onKeyDown={moveInList}
          className="divide-y overflow-hidden rounded-xl border bg-raised"
        >
          {items.map((task) => (
            <TaskRow key={task.slug} task={task} />
          ))}
        </ul>
      )}
      {tasks.hasNextPage && (
        <Button
          className="self-center"
          busy={tasks.isFetchingNextPage}
          onClick={() => void tasks.fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </>
  );
}

function TaskRow({ task }: { task: Task }) {
  const { slug, description, status, dispatchCount, liveCount, costUsd, updatedAt, outcome } = task;
  const words = outcome ?? description;
  return (
    <li>
      <Link
        to="/tasks/$slug"
        params={{ slug }}
        data-list-item=""
        className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2.5 -outline-offset-2 hover:bg-hover"
      >
        <span className="flex min-w-0 flex-1 basis-64 flex-col">
          <span className="flex items-center gap-2">
            <span className="truncate text-sm font-medium">{toVisibleLine(slug)}</span>
            <TaskStatusBadge status={status} />
            {liveCount > 0 && <Badge tone="accent">{liveCount} at work</Badge>}
          </span>
          {words && <span className="truncate text-13 text-soft">{toVisibleLine(words)}</span>}
        </span>
        <span className="flex items-center gap-3 text-13 text-soft">
          <span>{formatCount(dispatchCount, 'dispatch', 'dispatches')}</span>
          <Money usd={costUsd} short />
          <Time at={updatedAt} className="text-faint" />
        </span>
      </Link>
    </li>
  );
}

function NoTasks({ status, onMake }: TaskListProps) {
  const program = useProgram();
  return (
    <EmptyState
      icon={<ListTodo />}
      title={status ? `No ${status} tasks` : 'No tasks yet'}
      note={
        <>
          Make one here, or on the way: a session begun with{' '}
          <code className="rounded bg-sunken px-1 font-mono text-[0.9em]">
            {program} run --task checkout …
          </code>{' '}
          works on it, and so does every agent that is drafted there.
        </>
      }
      actions={<Button onClick={onMake}>New task</Button>}
    />
  );
}
