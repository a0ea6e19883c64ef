// What was spent of a budget, as a bar and in words. Without a budget of its own there is nothing to fill.
import { clsx } from 'clsx';
import { toMoney } from '../parts/amounts.tsx';
import { formatSpent } from './format-agent.ts';

/** From here on it is worth a look. */
const nearlyAll = 0.85;

export interface BudgetBarProps {
  /** Whose budget it is. */
  label: string;
  costUsd: number | null;
  budgetUsd: number | null;
  className?: string | undefined;
}

export function BudgetBar({ label, costUsd, budgetUsd, className }: BudgetBarProps) {
  const words = formatSpent(costUsd, budgetUsd);
  if (budgetUsd === null) {
    return (
      <span className={clsx('text-xs text-soft tabular-nums', className)} title="It spends what its run has">
        {words}
      </span>
    );
  }
  const share = budgetUsd > 0 ? Math.min(1, (costUsd ?? 0) / budgetUsd) : 1;
  return (
    <span className={clsx('flex items-center gap-2 text-xs text-soft tabular-nums', className)}>
      <span
        role="img"
        aria-label={`${label}: ${words}`}
        title={`${label}: ${words}`}
        className="h-1.5 w-20 min-w-6 overflow-hidden rounded-full bg-line"
      >
        <span
          className={clsx('block h-full rounded-full', share > nearlyAll ? 'bg-warn' : 'bg-accent')}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="sm:min-w-26 whitespace-nowrap" aria-hidden="true">
        {costUsd === null ? '$?' : toMoney(costUsd)}{' '}
        <span className="text-faint">of {toMoney(budgetUsd)}</span>
      </span>
    </span>
  );
}
