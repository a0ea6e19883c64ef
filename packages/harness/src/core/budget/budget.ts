// Budgets: how much money a run, an agent with all under it, or a day has, has spent and has reserved for running steps.
// Kept in memory by the one owner of the home; what is spent is written with the events that say so.
import type { Store } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';

export interface Budget {
  /** Which limit it is. */
  limit: 'budgetUsd' | 'dailyUsd';
  /** Whose it is, when it is an agent's own. */
  agentId?: string;
  max: number;
  /** What a role says: nobody is asked for more than that. */
  roleMax?: number | undefined;
  spent: number;
  /** For steps under way. */
  reserved: number;
}

export function createBudget(limit: Budget['limit'], max: number, spent: number): Budget {
  return { limit, max, spent, reserved: 0 };
}

/** What the poorest of them has left. */
export function minAvailable(budgets: readonly Budget[]): number {
  return Math.min(...budgets.map(({ max, spent, reserved }) => max - spent - reserved));
}

/** The same once all that is held has been given back. */
export function minUnspent(budgets: readonly Budget[]): number {
  return Math.min(...budgets.map(({ max, spent }) => max - spent));
}

/** The one that has the least. */
export function tightestBudget([first, ...others]: readonly [Budget, ...Budget[]]): Budget {
  return others.reduce(
    (tightest, each) => (minUnspent([each]) < minUnspent([tightest]) ? each : tightest),
    first,
  );
}

export interface DayBudgetDeps {
  store: Store;
  clock: Clock;
  dailyUsd(): number;
}

/** What all runs together may spend in a day. It ends at the server's midnight. */
export function createDayBudget({ store, clock, dailyUsd }: DayBudgetDeps) {
  const budget = createBudget('dailyUsd', 0, 0);
  let today = '';
  return {
    budget,
    /** Before it is looked at: it is of today, with what may be spent now. */
    async begin(): Promise<void> {
      const now = new Date(clock.now());
      const name = now.toDateString();
      if (today !== name) {
        const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
        const spent = await store.reads.spentSince(midnight);
        if (today !== name) budget.spent = spent;
        today = name;
      }
      budget.max = dailyUsd();
    },
  };
}
