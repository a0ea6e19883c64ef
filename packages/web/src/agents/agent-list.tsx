// Agents as a tree: how each stands, what it spends of what it may, how long it has been at it. Each leads to its session.
import { Link } from '@tanstack/react-router';
import { type Agent, isLive, toVisibleLine } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { useAsks } from '../queries/pending.ts';
import { AgentState, Elapsed } from './agent-state.tsx';
import type { AgentNode } from './agent-tree.ts';
import { BudgetBar } from './budget-bar.tsx';
import { nameAgent } from './format-agent.ts';
import { KillAgent } from './kill-agent.tsx';

export interface AgentListProps {
  nodes: readonly AgentNode[];
  /** Its name, for those who do not see it. */
  label?: string | undefined;
  /** Little room: no words of the prompt. */
  compact?: boolean | undefined;
  /** How far below the top of the tree these are. */
  level?: number | undefined;
}

/** A phone has room for two of them: whoever is further down has hardly any. */
const maxIndents = 2;

export function AgentList({ nodes, label, compact, level = 0 }: AgentListProps) {
  const indent = level > maxIndents ? 'pl-1 sm:ml-4 sm:pl-3' : 'ml-3 pl-2 sm:ml-4 sm:pl-3';
  return (
    <ul aria-label={label} className={clsx(level > 0 && `border-l ${indent}`)}>
      {nodes.map(({ agent, children }) => (
        <li key={agent.id}>
          <AgentLine agent={agent} compact={compact} />
          {children.length > 0 && <AgentList nodes={children} compact={compact} level={level + 1} />}
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
        className="flex min-w-0 flex-1 items-center sm:basis-60 gap-2 rounded -outline-offset-1"
      >
        <AgentState status={agent.status} asks={asks} />
        <span className="min-w-0 truncate text-sm">
          <span className="font-medium">{name}</span>
          <span className="text-faint"> on {toVisibleLine(agent.taskSlug)}</span>
        </span>
      </Link>
      {/* On a phone what ends it stands beside its name, and the rest below. */}
      <span className="contents text-xs text-soft sm:flex sm:min-h-7 sm:items-center sm:gap-3">
        <span className="order-1 flex min-h-7 w-full min-w-0 items-center gap-3 sm:order-none sm:w-auto">
          <BudgetBar
            label={`Budget of ${name}`}
            costUsd={agent.costUsd}
            budgetUsd={agent.budgetUsd}
            className="min-w-0 flex-1"
          />
          <Elapsed agent={agent} />
        </span>
        <span className="flex w-7 justify-end empty:max-sm:hidden pointer-coarse:w-10">
          {isLive(agent) && <KillAgent agent={agent} />}
        </span>
      </span>
      {!compact && <Words agent={agent} />}
    </div>
  );
}

/** What became of it; until then, what it was told. */
function Words({ agent: { prompt, result, error, status } }: { agent: Agent }) {
  // That somebody ended it is said already.
  const failure = status === 'killed' ? undefined : error?.message;
  const words = toVisibleLine(failure ?? result?.summary ?? prompt);
  return (
    <p className={clsx('order-2 w-full truncate text-13', failure ? 'text-bad' : 'text-soft')} title={words}>
      {words}
    </p>
  );
}
