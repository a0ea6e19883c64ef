// Who was drafted by whom, live: a tree for each session that a person opened.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bot, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { toRootTrees } from '../../agents/agent-tree.ts';
import { DraftAgentDialog } from '../../agents/draft-agent-dialog.tsx';
import { Button } from '../../controls/button.tsx';
import { moveInList, useListKeys } from '../../controls/list-keys.ts';
import { Segments } from '../../controls/segments.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useAgents } from '../../queries/agents.ts';
import { CoordinatorButton, NoAgents } from './no-agents.tsx';
import { TreeCard } from './tree-card.tsx';

const shows = [
  { value: 'all', label: 'All' },
  { value: 'live', label: 'At work' },
] as const;

export function AgentsScreen() {
  const { show, root } = useSearch({ from: '/agents' });
  const navigate = useNavigate({ from: '/agents' });
  const [isDrafting, setIsDrafting] = useState(false);
  return (
    <Screen
      title="Agents"
      note="Sessions that were drafted to work on a task, under the session that you opened. Open one to watch it; kill one and all under it end, too."
      actions={
        <>
          <Segments
            label="Which agents"
            value={show ?? 'all'}
            options={shows}
            onChange={(value) =>
              void navigate({ search: { root, show: value === 'live' ? value : undefined }, replace: true })
            }
          />
          <Button variant="primary" icon={<Plus className="size-4" />} onClick={() => setIsDrafting(true)}>
            Draft an agent
          </Button>
        </>
      }
    >
      {root && <OneTree onAll={() => void navigate({ search: { show } })} />}
      <Trees root={root} isLiveOnly={show === 'live'} onDraft={() => setIsDrafting(true)} />
      {isDrafting && <DraftAgentDialog onClose={() => setIsDrafting(false)} />}
    </Screen>
  );
}

function OneTree({ onAll }: { onAll(): void }) {
  return (
    <p className="text-sm text-soft">
      Those of one session.{' '}
      <Button size="small" onClick={onAll}>
        Show all
      </Button>
    </p>
  );
}

interface TreesProps {
  root: string | undefined;
  isLiveOnly: boolean;
  onDraft(): void;
}

function Trees({ root, isLiveOnly, onDraft }: TreesProps) {
  const { agents, isPending, error, retry, ...more } = useAgents(root);
  const list = useRef<HTMLUListElement>(null);
  useListKeys(list);
  const trees = toRootTrees(agents);
  const shown = isLiveOnly ? trees.filter(({ live }) => live > 0) : trees;
  return (
    <>
      {error && <ErrorNote error={error} title="The agents could not be read" onRetry={retry} />}
      {isPending && !error && <SkeletonLines count={6} label="Reading agents" />}
      {!isPending && !error && trees.length === 0 && <NoAgents onDraft={onDraft} />}
      {trees.length > 0 && shown.length === 0 && <NobodyWorks />}
      <ul ref={list} aria-label="Trees of agents" className="flex flex-col gap-4" onKeyDown={moveInList}>
        {shown.map((tree, at) => (
          <li key={tree.rootSessionId}>
            <TreeCard tree={tree} isFirst={at === 0} />
          </li>
        ))}
      </ul>
      {more.hasMore && !isLiveOnly && (
        <Button className="self-center" busy={more.isReadingMore} onClick={more.readMore}>
          Load more
        </Button>
      )}
    </>
  );
}

function NobodyWorks() {
  return (
    <EmptyState
      icon={<Bot />}
      title="Nobody is at work"
      note="All agents have come to their end: see All. Draft one, or have a coordinator do it."
      actions={<CoordinatorButton />}
    />
  );
}
