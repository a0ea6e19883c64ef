// The agents of this conversation, live, above what is said in it: folded to a line, or as a tree.
import { Link } from '@tanstack/react-router';
import { type Agent, isLive } from '@toolyard/sdk';
import { Bot, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { AgentList } from '../../agents/agent-list.tsx';
import { toNodes } from '../../agents/agent-tree.ts';
import { formatCount } from '../../agents/format-agent.ts';
import { RunBudget } from '../../agents/run-budget.tsx';
import { useMedia } from '../../browser-apis/use-media.ts';

export interface AgentsStripProps {
  /** Of the session's log: what it and those under it have drafted. */
  agents: Readonly<Record<string, Agent>>;
}

export function AgentsStrip({ agents }: AgentsStripProps) {
  const all = Object.values(agents);
  const newest = all.reduce<Agent | undefined>(
    (best, one) => (best && best.id > one.id ? best : one),
    undefined,
  );
  return newest ? <Strip all={all} newest={newest} /> : null;
}

function Strip({ all, newest }: { all: readonly Agent[]; newest: Agent }) {
  const shown = all.filter((agent) => agent.runId === newest.runId || isLive(agent));
  const live = shown.filter(isLive).length;
  const hasRoom = useMedia('(width >= 48rem)');
  const [isOpen, setIsOpen] = useState(live > 0 && hasRoom);
  return (
    <section aria-label="Agents" className="border-b bg-ground">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-h-7 min-w-0 flex-1 cursor-pointer items-center gap-2 rounded text-left text-13 text-soft hover:text-ink pointer-coarse:min-h-10"
        >
          <ChevronRight className={isOpen ? 'size-3.5 rotate-90' : 'size-3.5'} aria-hidden="true" />
          <Bot className="size-4 text-faint" aria-hidden="true" />
          <span className="truncate">{formatAll(shown.length, live)}</span>
        </button>
        <RunBudget runId={newest.runId} />
        <Link
          to="/agents"
          search={{ root: newest.rootSessionId }}
          className="rounded text-13 text-soft underline decoration-faint/50 underline-offset-2 hover:text-ink max-sm:hidden"
        >
          All of them
        </Link>
      </div>
      {isOpen && (
        <div className="max-h-[24dvh] overflow-y-auto px-2 pb-1.5">
          <AgentList nodes={toNodes(shown)} label="Agents of this conversation" compact />
        </div>
      )}
    </section>
  );
}

function formatAll(count: number, live: number): string {
  return `${formatCount(count, 'agent')}, ${live === 0 ? 'none at work' : `${live} at work`}`;
}
