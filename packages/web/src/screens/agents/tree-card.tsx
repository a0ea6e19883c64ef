// One session that a person opened, with all that was drafted under it, run by run.
import { Link } from '@tanstack/react-router';
import { isLive } from '@toolyard/sdk';
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { AgentList } from '../../agents/agent-list.tsx';
import type { AgentNode, RootTree, RunTree } from '../../agents/agent-tree.ts';
import { formatCount } from '../../agents/format-agent.ts';
import { RunBudget } from '../../agents/run-budget.tsx';
import { StatusDot } from '../../parts/status-dot.tsx';
import { Time } from '../../parts/time.tsx';
import { useAskingSessions } from '../../queries/pending.ts';
import { toTitle } from '../../queries/session-title.ts';
import { useSessionInfo } from '../../queries/sessions.ts';

export interface TreeCardProps {
  tree: RootTree;
  isFirst: boolean;
}

export function TreeCard({ tree, isFirst }: TreeCardProps) {
  const id = useId();
  // What has come to its end is folded, unless it is the newest; whoever opens or closes one is obeyed.
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? (tree.live > 0 || isFirst);
  return (
    <section aria-labelledby={id} className="overflow-hidden rounded-xl border bg-raised">
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={isOpen ? 'Fold this tree' : 'Show this tree'}
          onClick={() => setChosen(!isOpen)}
          className="flex size-7 shrink-0 cursor-pointer items-center justify-center rounded-lg text-faint hover:bg-hover hover:text-ink pointer-coarse:size-10"
        >
          <ChevronRight className={isOpen ? 'size-4 rotate-90' : 'size-4'} aria-hidden="true" />
        </button>
        <RootTitle id={id} sessionId={tree.rootSessionId} />
        <span className="text-13 text-soft">
          {formatCount(tree.agents.length, 'agent')}
          {tree.live > 0 && `, ${tree.live} at work`}
        </span>
      </header>
      {isOpen &&
        tree.runs.map((run, at) => (
          <Run key={run.runId} run={run} isOnly={at === 0 && tree.runs.length === 1} />
        ))}
    </section>
  );
}

function RootTitle({ id, sessionId }: { id: string; sessionId: string }) {
  const { data: session, error } = useSessionInfo(sessionId);
  const isAsking = useAskingSessions().has(sessionId);
  if (error) {
    return (
      <h2 id={id} className="min-w-0 flex-1 basis-48 text-sm font-semibold text-soft">
        A session that is gone
      </h2>
    );
  }
  return (
    <div className="flex min-w-0 flex-1 basis-48 items-center gap-2">
      {session && <StatusDot status={isAsking ? 'waiting' : session.status} />}
      <h2 id={id} dir="auto" className="min-w-0 truncate text-sm font-semibold">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          data-list-item=""
          title="Open the session"
          className="rounded hover:text-accent"
        >
          {session ? toTitle(session) : '…'}
        </Link>
      </h2>
      {session && <span className="shrink-0 text-13 text-faint">{session.role}</span>}
    </div>
  );
}

function Run({ run: { runId, nodes }, isOnly }: { run: RunTree; isOnly: boolean }) {
  const begun = nodes[0]?.agent.draftedAt;
  return (
    <div className="border-t px-2 pt-2 pb-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-2 pb-1.5 text-xs text-faint">
        <span className="flex-1">
          {isOnly || !hasLive(nodes) ? 'Run' : 'Run under way'}
          {begun && (
            <>
              {' · '}
              <Time at={begun} />
            </>
          )}
        </span>
        {hasSpent(nodes) && <RunBudget runId={runId} />}
      </div>
      <AgentList nodes={nodes} label="Agents of the run" />
    </div>
  );
}

function hasLive(nodes: readonly AgentNode[]): boolean {
  return nodes.some(({ agent, children }) => isLive(agent) || hasLive(children));
}

/** Before its first step, an agent that a person has drafted has begun no run yet. */
function hasSpent(nodes: readonly AgentNode[]): boolean {
  return nodes.some(({ agent, children }) => agent.depth > 0 || agent.costUsd !== 0 || hasSpent(children));
}
