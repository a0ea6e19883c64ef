// Agents as a tree: how each stands, what it spends of what it may, how long it has been at it. Each leads to its session.
import { Link } from '@tanstack/react-router';
import { type Agent, isLive, toVisibleLine } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { usePending } from '../server/pending.ts';
import { AgentState, Elapsed } from './agent-state.tsx';
import type { AgentNode } from './agent-tree.ts';
import { nameAgent } from './agent-words.ts';
import { BudgetBar } from './budget-bar.tsx';
import { KillAgent } from './kill-agent.tsx';

export interface AgentListProps {
  nodes: readonly AgentNode[];
  /** Its name, for those who do not see it. */
  label?: string | undefined;
  /** Little room: no words of the prompt. */
  compact?: boolean | undefined;
}

export function AgentList({ nodes, label, compact }: AgentListProps) {
  return (
    <ul aria-label={label} className={clsx(!label && 'ml-3 border-l pl-2 sm:ml-4 sm:pl-3')}>
      {nodes.map(({ agent, children }) => (
        <li key={agent.id}>
          <AgentLine agent={agent} compact={compact} />
          {children.length > 0 && <AgentList nodes={children} compact={compact} />}
        </li>
      ))}
    </ul>
  );
}

function AgentLine({ agent, compact }: { agent: Agent; compact?: boolean | undefined }) {
  const name = nameAgent(agent);
  const asks = useAsks(agent);
  return (
    <div
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-2 hover:bg-hover',
        compact ? 'py-0.5' : 'py-1.5',
      )}
    >
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: agent.sessionId }}
        data-list-item=""
        title="Open its session"
        className="flex min-w-0 flex-1 basis-60 items-center gap-2 rounded -outline-offset-1"
      >
        <AgentState status={agent.status} asks={asks} />
        <span className="min-w-0 truncate text-sm">
          <span className="font-medium">{name}</span>
          <span className="text-faint"> on {toVisibleLine(agent.taskSlug)}</span>
        </span>
      </Link>
      <span className="flex min-h-7 items-center gap-3 text-xs text-soft max-sm:flex-1">
        <BudgetBar
          label={`Budget of ${name}`}
          costUsd={agent.costUsd}
          budgetUsd={agent.budgetUsd}
          className="flex-1"
        />
        <Elapsed agent={agent} />
        <span className="flex w-7 justify-end pointer-coarse:w-10">
          {isLive(agent) && <KillAgent agent={agent} />}
        </span>
      </span>
      {!compact && <Words agent={agent} />}
    </div>
  );
}

/** Whether a person's answer is what it waits for. */
function useAsks({ sessionId, status }: Agent): boolean {
  const { approvals, questions } = usePending();
  return status === 'waiting' && [...approvals, ...questions].some((asked) => asked.sessionId === sessionId);
}

/** What became of it; until then, what it was told. */
function Words({ agent: { prompt, result, error, status } }: { agent: Agent }) {
  // That somebody ended it is said already.
  const failure = status === 'killed' ? undefined : error?.message;
  const words = toVisibleLine(failure ?? result?.summary ?? prompt);
  return (
    <p className={clsx('w-full truncate text-[13px]', failure ? 'text-bad' : 'text-soft')} title={words}>
      {words}
    </p>
  );
}
