// One dispatch: who worked, for how long, at what cost, and what they reported.
import { Link } from '@tanstack/react-router';
import {
  type AgentResult,
  type Dispatch,
  isLive,
  toReadable,
  toVisibleLine,
  type Worktree,
} from '@toolyard/sdk';
import { GitBranch } from 'lucide-react';
import { AgentState, Elapsed } from '../../agents/agent-state.tsx';
import { BudgetBar } from '../../agents/budget-bar.tsx';
import { nameAgent } from '../../agents/format-agent.ts';
import { KillAgent } from '../../agents/kill-agent.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { Time } from '../../parts/time.tsx';
import { useAsks } from '../../queries/pending.ts';

export function DispatchCard({ dispatch }: { dispatch: Dispatch }) {
  const { prompt, result, error, worktree } = dispatch;
  return (
    <article aria-label={toName(dispatch)} className="rounded-xl border bg-raised">
      <Head dispatch={dispatch} />
      <div className="flex flex-col gap-3 px-4 py-3 text-sm">
        <p className="text-soft whitespace-pre-line wrap-anywhere">{toReadable(prompt)}</p>
        {error && (
          <p className="text-bad wrap-anywhere">
            {toReadable(error.message)} <span className="font-mono text-xs">{error.code}</span>
          </p>
        )}
        {result && <Result result={result} />}
        {worktree && <Branch worktree={worktree} />}
      </div>
    </article>
  );
}

function Head({ dispatch }: { dispatch: Dispatch }) {
  const name = toName(dispatch);
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2">
      <AgentState status={dispatch.status} asks={useAsks(dispatch)} />
      <h3 className="min-w-0 flex-1 basis-48 truncate text-sm font-medium">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: dispatch.sessionId }}
          title="Open its session"
          className="rounded hover:text-accent"
        >
          {name}
        </Link>
      </h3>
      <span className="flex flex-wrap items-center gap-x-3 text-xs text-soft">
        <BudgetBar label={`Budget of ${name}`} costUsd={dispatch.costUsd} budgetUsd={dispatch.budgetUsd} />
        <Elapsed agent={dispatch} />
        <Time at={dispatch.draftedAt} className="text-faint" />
        {isLive(dispatch) && isAgent(dispatch) && <KillAgent agent={dispatch} />}
      </span>
    </header>
  );
}

/** A person's own turn on the task is a dispatch, too. */
function isAgent({ id }: Dispatch): boolean {
  return id.startsWith('agt_');
}

function toName(dispatch: Dispatch): string {
  return isAgent(dispatch) ? nameAgent(dispatch) : `${toVisibleLine(dispatch.role)}, your own session`;
}

function Result({ result }: { result: AgentResult }) {
  const { summary, changes, issues, questions, reported } = result;
  return (
    <div className="flex flex-col gap-3">
      <div>
        <h4 className="text-xs font-medium text-faint">
          {reported ? 'Reported' : 'Its last words: it reported nothing'}
        </h4>
        <p className="max-w-prose whitespace-pre-line wrap-anywhere">{toReadable(summary)}</p>
      </div>
      <Points name="Changes" points={changes} />
      <Points name="Issues" points={issues} />
      <Points name="Questions" points={questions} />
    </div>
  );
}

function Points({ name, points }: { name: string; points: readonly string[] }) {
  if (points.length === 0) return null;
  return (
    <div>
      <h4 className="text-xs font-medium text-faint">{name}</h4>
      <ul className="ml-4 list-disc">
        {points.map((point, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a report never changes, and may say a thing twice
          <li key={at} className="whitespace-pre-line wrap-anywhere">
            {toReadable(point)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Branch({ worktree: { branch, path, diff, kept, removed } }: { worktree: Worktree }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-13 text-soft">
      <GitBranch className="size-3.5" aria-hidden="true" />
      <span className="font-mono wrap-anywhere">{toVisibleLine(branch)}</span>
      {removed ? (
        <span>removed, nothing was changed on it</span>
      ) : (
        <CopyButton text={branch} label="Copy the branch" />
      )}
      {diff && !removed && (
        <span className="tabular-nums">
          {diff.files} {diff.files === 1 ? 'file' : 'files'},{' '}
          <span className="text-good">+{diff.insertions}</span>{' '}
          <span className="text-bad">−{diff.deletions}</span>
        </span>
      )}
      {kept && <span className="wrap-anywhere">kept in {toVisibleLine(path)}</span>}
    </p>
  );
}
