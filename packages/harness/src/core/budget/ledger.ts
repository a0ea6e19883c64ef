// The ledger: what runs have used, and whether the next step of a model still fits. One account per turn. What is spent is
// written with the events that say so.
import type { DispatchRow, RunRow, Session, Spending, Store } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import { type Account, createAccount } from './account.ts';
import { type Budget, createDayBudget } from './budget.ts';
import { createOpenRuns, type OpenRun, type OpenRunsDeps, type RunFacts } from './open-runs.ts';
import { applyRaise, type RaisedRun } from './raise-limit.ts';
import { elapsedMs, ensureRun, minutesOf } from './run-row.ts';

export interface LedgerDeps {
  store: Store;
  log: Log;
  clock: Clock;
  dailyUsd(): number;
  rootOf: OpenRunsDeps['rootOf'];
}

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger({ store, log, clock, dailyUsd, rootOf }: LedgerDeps) {
  const day = createDayBudget({ store, clock, dailyUsd });
  const runs = createOpenRuns({
    store,
    clock,
    rootOf,
    noteGap: (row) => change(row, { waitedMs: row.waitedMs, lastActiveAt: row.lastActiveAt }),
  });
  /** Those that wait for money that others hold. */
  let changed = Promise.withResolvers<void>();

  function wake(): void {
    const { resolve } = changed;
    changed = Promise.withResolvers<void>();
    resolve();
  }

  /** The time that its role gives an agent begins with its work. */
  function begin(run: OpenRun, { id, sessionId }: DispatchRow): void {
    const bounded = run.bounded.get(id);
    if (!bounded) return;
    bounded.beganMs = elapsedMs(run.row, runs.timeIn(run));
    const bounds = { ...bounded.bounds, beganMs: bounded.beganMs };
    void log.defer(async (tx) => {
      if (await tx.dispatch(id)) await tx.updateDispatch(id, { bounds });
    }, sessionId);
  }

  /** It rides with the event that says what was used. A run whose root was deleted is nobody's any more. */
  function write(run: OpenRun, spending: Spending): void {
    const at = toTime(run);
    void log.defer(async (tx) => {
      if (await ensureRun(tx, run.row)) await tx.addSpending({ ...spending, at });
    });
  }

  function change({ id }: RunRow, patch: Pick<RunRow, 'lastActiveAt'> & { waitedMs?: number }): void {
    void log.defer(async (tx) => {
      if (await tx.run(id)) await tx.updateRun(id, patch);
    });
  }

  const toTime = (run: OpenRun) => new Date(runs.timeIn(run)).toISOString();

  return {
    /** Opens the account of a turn. `chain`: the agent's own dispatch and those above it, from below. */
    async open(
      runId: string,
      { rootSessionId }: Pick<Session, 'rootSessionId'>,
      chain: readonly DispatchRow[],
      facts: RunFacts = {},
    ): Promise<Account> {
      const run = await runs.acquire(runId, rootSessionId, facts);
      await day.begin();
      const own = new Map<string, Budget>();
      for (const row of chain) own.set(row.id, await runs.budgetOf(run, row));
      if (chain[0] && facts.begins) begin(run, chain[0]);
      return createAccount({
        run,
        own,
        day,
        wake,
        changed: () => changed.promise,
        now: () => runs.timeIn(run),
        write: (used) => write(run, { runId, dispatchIds: [...own.keys()], ...used }),
        end: () => change(run.row, { lastActiveAt: toTime(run) }),
        releaseRun: () => runs.release(runId),
      });
    },

    /** Inside a commit: the run has a row, whoever comes first. */
    ensure: ensureRun,

    /** How long its root has waited for a person is not the run's time. */
    addWait({ row }: OpenRun, ms: number): void {
      row.waitedMs += ms;
      change(row, { waitedMs: row.waitedMs, lastActiveAt: new Date(clock.now()).toISOString() });
    },

    /** Minutes of a run that count, until now if somebody works in it. */
    async minutesOf(row: RunRow): Promise<number> {
      const run = await runs.find(row.id);
      return run ? minutesOf(run.row, runs.timeIn(run)) : minutesOf(row, Date.parse(row.lastActiveAt));
    },

    /** After the commit that has raised a limit: a run that is open knows of it. */
    async applyRaise(raised: RaisedRun): Promise<void> {
      const run = await runs.find(raised.id);
      if (run) applyRaise(run, raised);
      wake();
    },

    /** A turn that goes on after a restart has spent this before: no account of a turn has it yet. */
    async resumeSpending(chargedUsd: number): Promise<void> {
      await day.begin();
      day.budget.spent += chargedUsd;
    },
  };
}
