// The ledger: what runs have used, and whether the next step of a model still fits. One account per turn. Reserve before
// a step, settle when its usage comes; what is held for steps under way is nobody else's to spend.
import type { DispatchRow, RunLimits, RunRow, Session, Spending, Store } from '@toolyard/sdk';
import type { Log } from '../log.ts';
import type { Clock } from '../ports.ts';
import type { Account, OpenRun, RunFacts } from './account.ts';
import { leftIn, mostIn, type Purse, poorest, toPurse } from './purse.ts';
import { type Reached, toLimits } from './run-limits.ts';
import { ensureRun, minutesOf, newRun } from './run-row.ts';

export interface LedgerDeps {
  store: Store;
  log: Log;
  clock: Clock;
  dailyUsd(): number;
  /** What a run of this root session may use now. */
  limitsOf(rootSessionId: string, run: Pick<RunRow, 'raised'>): Promise<RunLimits>;
}

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger({ store, log, clock, dailyUsd, limitsOf }: LedgerDeps) {
  const runs = new Map<string, { opening: Promise<OpenRun>; accounts: number }>();
  const day = toPurse('dailyUsd', 0, 0);
  let dayName = '';
  /** Those that wait for money that others hold. */
  let changed = Promise.withResolvers<void>();

  function wake(): void {
    const { resolve } = changed;
    changed = Promise.withResolvers<void>();
    resolve();
  }

  /** A day ends at the server's midnight. */
  async function beginDay(): Promise<void> {
    const now = new Date(clock.now());
    const name = now.toDateString();
    if (dayName !== name) {
      const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
      const spent = await store.reads.spentSince(midnight);
      if (dayName !== name) day.spent = spent;
      dayName = name;
    }
    day.max = dailyUsd();
  }

  async function read(
    id: string,
    rootSessionId: string,
    { isNew, as, lastActiveAt }: RunFacts,
  ): Promise<OpenRun> {
    const stored = isNew ? undefined : await store.reads.run(id);
    const at = new Date(clock.now()).toISOString();
    const row = stored ? withoutGap(stored, lastActiveAt, clock.now()) : newRun(id, rootSessionId, at);
    const limits = as ? toLimits(as.config, as.role, row.raised) : await limitsOf(rootSessionId, row);
    const purse = toPurse('budgetUsd', limits.budgetUsd, row.spentUsd);
    return { row, limits, purse, tokens: row.tokens, purses: new Map() };
  }

  async function openRun(id: string, rootSessionId: string, facts: RunFacts): Promise<OpenRun> {
    const known = runs.get(id) ?? { opening: read(id, rootSessionId, facts), accounts: 0 };
    known.accounts++;
    runs.set(id, known);
    return known.opening.catch((thrown: unknown) => {
      leave(id);
      throw thrown;
    });
  }

  function leave(runId: string): void {
    const known = runs.get(runId);
    if (!known) return;
    known.accounts--;
    if (known.accounts === 0) runs.delete(runId);
  }

  /** While a run is open its purses know best; a row that was read a while ago does not know what others have spent. */
  async function openPurse({ purses }: OpenRun, row: DispatchRow): Promise<Purse> {
    const { budgetUsd, costUsd } = purses.has(row.id) ? row : ((await store.reads.dispatch(row.id)) ?? row);
    const purse =
      purses.get(row.id) ?? toPurse('budgetUsd', budgetUsd ?? Number.POSITIVE_INFINITY, costUsd ?? 0);
    purses.set(row.id, purse);
    return purse;
  }

  /** It rides with the event that says what was used. A run whose root was deleted is nobody's any more. */
  function write({ row }: OpenRun, spending: Spending): void {
    void log.defer(async (tx) => {
      if (await ensureRun(tx, row)) await tx.addSpending(spending);
    });
  }

  return {
    /** Opens the account of a turn. `chain`: the agent's own dispatch and those above it, from below. */
    async open(
      runId: string,
      { rootSessionId }: Pick<Session, 'rootSessionId'>,
      chain: readonly DispatchRow[],
      facts: RunFacts = {},
    ): Promise<Account> {
      const run = await openRun(runId, rootSessionId, facts);
      await beginDay();
      const own = new Map<string, Purse>();
      for (const row of chain) own.set(row.id, await openPurse(run, row));
      const all = [run.purse, ...own.values(), day];
      const dispatchIds = chain.map(({ id }) => id);
      let held = 0;
      let isOpen = true;

      const hold = (usd: number) => {
        for (const purse of all) purse.held += usd - held;
        held = usd;
      };
      const release = () => {
        if (held === 0) return;
        hold(0);
        wake();
      };

      return {
        run,
        dispatchIds,
        release,
        leftUsd: () => mostIn(all),
        isAt({ limit, max }) {
          if (limit === 'budgetUsd') return [run.purse, ...own.values()].some((purse) => purse.max === max);
          return limit !== 'dailyUsd' && run.limits[limit] === max;
        },
        async raise(limit, by) {
          run.row.raised = { ...run.row.raised, [limit]: (run.row.raised[limit] ?? 0) + by };
          run.limits = { ...run.limits, [limit]: run.limits[limit] + by };
          const budgets = limit === 'budgetUsd' ? [run.purse, ...own.values()] : [];
          for (const purse of budgets) purse.max += by;
          await store.commit(async (tx) => {
            if (!(await ensureRun(tx, run.row))) return;
            await tx.updateRun(runId, { raised: run.row.raised });
            for (const [id, { max }] of own)
              if (limit === 'budgetUsd' && Number.isFinite(max))
                await tx.updateDispatch(id, { budgetUsd: max });
          });
          wake();
        },
        async reserve(fit, signal) {
          await beginDay();
          for (;;) {
            release();
            const reached = findUsed(run, clock.now());
            if (reached) return reached;
            const wanted = fit(leftIn(all));
            if (wanted !== undefined) {
              hold(wanted);
              return undefined;
            }
            if (fit(mostIn(all)) === undefined) return toReached(poorest(all));
            if (signal.aborted) return undefined;
            await untilChanged(changed.promise, signal);
          }
        },
        settle(costUsd, tokens) {
          for (const purse of all) purse.spent += costUsd ?? 0;
          run.tokens += tokens;
          release();
          write(run, { runId, dispatchIds, costUsd, tokens });
        },
        close() {
          if (!isOpen) return;
          isOpen = false;
          release();
          leave(runId);
        },
      };
    },

    /** Inside a commit: the run has a row, whoever comes first. */
    ensure: ensureRun,

    /** How long its root has waited for a person is not the run's time. */
    addWait(run: OpenRun, ms: number): void {
      run.row.waitedMs += ms;
      const { id, waitedMs } = run.row;
      void log.defer(async (tx) => {
        if (await tx.run(id)) await tx.updateRun(id, { waitedMs });
      });
    },

    /** A turn that goes on after a restart has spent this before: no account of a turn has it yet. */
    async goOn(costUsd: number | null): Promise<void> {
      await beginDay();
      day.spent += costUsd ?? 0;
    },
  };
}

function findUsed({ row, limits, tokens, awaySince }: OpenRun, now: number): Reached | undefined {
  const minutes = minutesOf(row, awaySince ?? now);
  if (minutes >= limits.wallMinutes) return { limit: 'wallMinutes', max: limits.wallMinutes, used: minutes };
  return tokens >= limits.tokens ? { limit: 'tokens', max: limits.tokens, used: tokens } : undefined;
}

/** Nobody has worked in it meanwhile, or could: that is not its time. */
function withoutGap(row: RunRow, lastActiveAt: string | undefined, now: number): RunRow {
  const gapMs = lastActiveAt ? Math.max(0, now - Date.parse(lastActiveAt)) : 0;
  return { ...row, waitedMs: row.waitedMs + gapMs };
}

function toReached(purse: Purse | undefined): Reached | undefined {
  return purse && { limit: purse.limit, max: purse.max, used: purse.spent };
}

async function untilChanged(change: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = () => resolve();
  signal.addEventListener('abort', leave, { once: true });
  await Promise.race([change, promise]).finally(() => signal.removeEventListener('abort', leave));
}
