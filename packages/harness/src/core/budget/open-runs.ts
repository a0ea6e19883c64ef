// Runs in which somebody works: read once, and known best here until the last account in them is closed.
import type { DispatchRow, RunLimits, RunRow, Store } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';
import { type Purse, toPurse } from './purse.ts';
import { type Bounded, toBounded } from './role-bounds.ts';
import { type RunRoot, toLimits } from './run-limits.ts';
import { newRun, timeGone, withoutGap } from './run-row.ts';

/** A run while one of its turns is open. */
export interface OpenRun {
  /** Since when its root waits for a person. */
  awaySince?: number | undefined;
  row: RunRow;
  /** What its limits come from. */
  root: RunRoot;
  limits: RunLimits;
  purse: Purse;
  tokens: number;
  /** Of agents in it, those that have ended too: others under them may still spend. */
  purses: Map<string, Purse>;
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
  const timeIn = ({ awaySince }: OpenRun) => awaySince ?? clock.now();

  async function read(id: string, rootSessionId: string, { isNew, as }: RunFacts): Promise<OpenRun> {
    const stored = isNew ? undefined : await store.reads.run(id);
    const now = clock.now();
    const row = stored ? withoutGap(stored, now) : newRun(id, rootSessionId, new Date(now).toISOString());
    if (stored) noteGap(row);
    const root = as ?? (await rootOf(rootSessionId));
    const limits = toLimits(root, row.raised);
    const most = root.role.limits?.budgetUsd;
    const purse = { ...toPurse('budgetUsd', limits.budgetUsd, row.spentUsd), most };
    return { row, root, limits, purse, tokens: row.tokens, purses: new Map(), bounded: new Map() };
  }

  function leave(runId: string): void {
    const known = runs.get(runId);
    if (!known) return;
    known.accounts--;
    if (known.accounts === 0) runs.delete(runId);
  }

  return {
    timeIn,
    leave,
    /** It is open until `leave`, as often as it was entered. */
    async enter(id: string, rootSessionId: string, facts: RunFacts): Promise<OpenRun> {
      const known = runs.get(id) ?? { opening: read(id, rootSessionId, facts), accounts: 0 };
      known.accounts++;
      runs.set(id, known);
      return known.opening.catch((thrown: unknown) => {
        leave(id);
        throw thrown;
      });
    },
    find: async (id: string): Promise<OpenRun | undefined> => runs.get(id)?.opening.catch(() => undefined),
    /** The purse of an agent. A row that was read a while ago does not know what others have spent. */
    async purseOf(run: OpenRun, row: DispatchRow): Promise<Purse> {
      const known = run.purses.get(row.id);
      if (known) return known;
      const stored = (await store.reads.dispatch(row.id)) ?? row;
      const purse = run.purses.get(row.id) ?? toOwnPurse(stored);
      const bounded = run.bounded.get(row.id) ?? toBounded(stored, timeGone(run.row, timeIn(run)));
      if (bounded) run.bounded.set(row.id, bounded);
      run.purses.set(row.id, purse);
      return purse;
    },
  };
}

/** What is left to those above it bounds an agent without a budget of its own: there it is counted, too. */
function toOwnPurse({ id: agentId, sharesBudget, budgetUsd, costUsd, bounds }: DispatchRow): Purse {
  const max = sharesBudget ? undefined : budgetUsd;
  const purse = toPurse('budgetUsd', max ?? Number.POSITIVE_INFINITY, costUsd ?? 0);
  return { ...purse, agentId, most: bounds?.budgetUsd };
}
