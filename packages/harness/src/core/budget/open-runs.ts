// Runs in which somebody works: read once, and known best here until the last account in them is closed.
import type { DispatchRow, RunLimits, RunRow, Store } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';
import { type Budget, createBudget } from './budget.ts';
import { type Bounded, toBounded } from './role-bounds.ts';
import { type RunRoot, toLimits } from './run-limits.ts';
import { elapsedMs, newRun, withoutGap } from './run-row.ts';

/** A run while one of its turns is open. */
export interface OpenRun {
  /** Since when its root waits for a person. */
  waitingSince?: number | undefined;
  row: RunRow;
  /** What its limits come from. */
  root: RunRoot;
  limits: RunLimits;
  budget: Budget;
  tokens: number;
  /** Of agents in it, those that have ended too: others under them may still spend. */
  agentBudgets: Map<string, Budget>;
  /** Those of them that their role bounds. */
  bounded: Map<string, Bounded>;
}

/** What whoever opens it knows already, so that nobody need look. */
export interface RunFacts {
  /** It cannot have a row yet. */
  isNew?: boolean;
  /** Its own agent begins with it, or tries again, and does not go on after a restart. */
  begins?: boolean;
  as?: RunRoot | undefined;
}

export interface OpenRunsDeps {
  store: Store;
  clock: Clock;
  /** What the root of a run is now. */
  rootOf(rootSessionId: string): Promise<RunRoot>;
  /** The gap since somebody last worked in it is not its time. */
  noteGap(row: RunRow): void;
}

export function createOpenRuns({ store, clock, rootOf, noteGap }: OpenRunsDeps) {
  const runs = new Map<string, { opening: Promise<OpenRun>; accounts: number }>();

  /** While its root waits for a person, the time of a run stands still. */
  const timeIn = ({ waitingSince }: OpenRun) => waitingSince ?? clock.now();

  async function read(id: string, rootSessionId: string, { isNew, as }: RunFacts): Promise<OpenRun> {
    const stored = isNew ? undefined : await store.reads.run(id);
    const now = clock.now();
    const row = stored ? withoutGap(stored, now) : newRun(id, rootSessionId, new Date(now).toISOString());
    if (stored) noteGap(row);
    const root = as ?? (await rootOf(rootSessionId));
    const limits = toLimits(root, row.raised);
    const roleMax = root.role.limits?.budgetUsd;
    const budget = { ...createBudget('budgetUsd', limits.budgetUsd, row.spentUsd), roleMax };
    return { row, root, limits, budget, tokens: row.tokens, agentBudgets: new Map(), bounded: new Map() };
  }

  function release(runId: string): void {
    const known = runs.get(runId);
    if (!known) return;
    known.accounts--;
    if (known.accounts === 0) runs.delete(runId);
  }

  return {
    timeIn,
    release,
    /** It is open until `leave`, as often as it was entered. */
    async acquire(id: string, rootSessionId: string, facts: RunFacts): Promise<OpenRun> {
      const known = runs.get(id) ?? { opening: read(id, rootSessionId, facts), accounts: 0 };
      known.accounts++;
      runs.set(id, known);
      return known.opening.catch((thrown: unknown) => {
        release(id);
        throw thrown;
      });
    },
    find: async (id: string): Promise<OpenRun | undefined> => runs.get(id)?.opening.catch(() => undefined),
    /** The budget of an agent. A row that was read a while ago does not know what others have spent. */
    async budgetOf(run: OpenRun, row: DispatchRow): Promise<Budget> {
      const known = run.agentBudgets.get(row.id);
      if (known) return known;
      const stored = (await store.reads.dispatch(row.id)) ?? row;
      const budget = run.agentBudgets.get(row.id) ?? toAgentBudget(stored);
      const bounded = run.bounded.get(row.id) ?? toBounded(stored, elapsedMs(run.row, timeIn(run)));
      if (bounded) run.bounded.set(row.id, bounded);
      run.agentBudgets.set(row.id, budget);
      return budget;
    },
  };
}

/** What is left to those above it bounds an agent without a budget of its own: there it is counted, too. */
function toAgentBudget({ id: agentId, sharesBudget, budgetUsd, costUsd, bounds }: DispatchRow): Budget {
  const max = sharesBudget ? undefined : budgetUsd;
  const budget = createBudget('budgetUsd', max ?? Number.POSITIVE_INFINITY, costUsd ?? 0);
  return { ...budget, agentId, roleMax: bounds?.budgetUsd };
}
