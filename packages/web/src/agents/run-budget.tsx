// How far a run is from its limits: one message of a person, with all agents under it.
import { useRun } from '../queries/agents.ts';
import { BudgetBar } from './budget-bar.tsx';
import { formatCount } from './format-agent.ts';

export function RunBudget({ runId }: { runId: string }) {
  const { data: run } = useRun(runId);
  if (!run) return null;
  const { limits, used } = run;
  const title =
    `${used.agents} of ${formatCount(limits.maxAgents, 'agent')} drafted, ` +
    `${used.tokens.toLocaleString('en-US')} of ${limits.tokens.toLocaleString('en-US')} tokens, ` +
    `${used.minutes.toFixed(1)} of ${limits.wallMinutes} minutes`;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-soft" title={title}>
      <BudgetBar label="Budget of the run" costUsd={used.costUsd} budgetUsd={limits.budgetUsd} />
      <span className="tabular-nums max-sm:hidden">
        {used.agents} of {formatCount(limits.maxAgents, 'agent')}
      </span>
    </span>
  );
}
