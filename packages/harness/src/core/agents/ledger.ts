// The ledger: what runs have used, and whether the next step of a model still fits. One account per turn. Reserve before
// a step, settle when its usage comes; what is held for steps under way is nobody else's to spend.
import type { DispatchRow, RunLimits, RunRow, Session, Spending, Store } from '@toolyard/sdk';
import type { Log } from '../log.ts';
import type { Clock } from '../ports.ts';
import type { Account, OpenRun, RunFacts } from './account.ts';
import { leftIn, mostIn, type Purse, poorest, toPurse } from './purse.ts';
import { followRaise, isAt, type RaisedRun, toAskedLimit } from './raise.ts';
import { findUsedBound, timeOf, toBounded } from './role-bounds.ts';
import { type Reached, toLimits } from './run-limits.ts';
import { ensureRun, minutesOf, newRun, timeGone, withoutGap } from './run-row.ts';

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

  /** While its root waits for a person, the time of a run stands still. */
  const timeIn = ({ awaySince }: OpenRun) => awaySince ?? clock.now();

  async function read(id: string, rootSessionId: string, { isNew, as }: RunFacts): Promise<OpenRun> {
    const stored = isNew ? undefined : await store.reads.run(id);
    const now = clock.now();
    const row = stored ? withoutGap(stored, now) : newRun(id, rootSessionId, new Date(now).toISOString());
    if (stored) change(row, { waitedMs: row.waitedMs, lastActiveAt: row.lastActiveAt });
    const limits = as ? toLimits(as.config, as.role, row.raised) : await limitsOf(rootSessionId, row);
    const purse = toPurse('budgetUsd', limits.budgetUsd, row.spentUsd);
    return { row, limits, purse, tokens: row.tokens, purses: new Map(), bounded: new Map() };
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
  async function openPurse(run: OpenRun, row: DispatchRow): Promise<Purse> {
    const { purses, bounded } = run;
    const stored = purses.has(row.id) ? row : ((await store.reads.dispatch(row.id)) ?? row);
    const purse = purses.get(row.id) ?? toOwnPurse(stored);
    const bound = purses.has(row.id) ? undefined : toBounded(stored, timeGone(run.row, timeIn(run)));
    if (bound) bounded.set(row.id, bound);
    purses.set(row.id, purse);
    return purse;
  }

  /** The time that its role gives an agent begins with its work. */
  function begin(run: OpenRun, { id, sessionId }: DispatchRow): void {
    const bounded = run.bounded.get(id);
    if (!bounded) return;
    bounded.beganMs = timeGone(run.row, timeIn(run));
    const bounds = { ...bounded.bounds, beganMs: bounded.beganMs };
    void log.defer(async (tx) => {
      if (await tx.dispatch(id)) await tx.updateDispatch(id, { bounds });
    }, sessionId);
  }

  /** It rides with the event that says what was used. A run whose root was deleted is nobody's any more. */
  function write(run: OpenRun, spending: Spending): void {
    const at = new Date(timeIn(run)).toISOString();
    void log.defer(async (tx) => {
      if (await ensureRun(tx, run.row)) await tx.addSpending({ ...spending, at });
    });
  }

  function change({ id }: RunRow, patch: Pick<RunRow, 'lastActiveAt'> & { waitedMs?: number }): void {
    void log.defer(async (tx) => {
      if (await tx.run(id)) await tx.updateRun(id, patch);
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
      if (chain[0] && facts.begins) begin(run, chain[0]);
      const all = [run.purse, ...own.values(), day] as const;
      const dispatchIds = chain.map(({ id }) => id);
      const bounded = dispatchIds.flatMap((id) => run.bounded.get(id) ?? []);
      /** Those that had not enough for what was last asked for. */
      let blocked: Purse[] = [];
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
        scarcest: () => toReached(poorest(all)),
        time: () => timeOf(run, bounded, timeIn(run)),
        isAt: (reached) => isAt({ run, own }, reached),
        toAsked: (reached, by) => toAskedLimit({ run, own }, reached, { by, blocked }),
        async reserve(fit, signal) {
          await beginDay();
          for (;;) {
            release();
            const now = timeIn(run);
            const reached = findUsed(run, now) ?? findUsedBound(bounded, run.row, now);
            if (reached) return reached;
            const wanted = fit(leftIn(all));
            if (wanted !== undefined) {
              hold(wanted);
              return undefined;
            }
            blocked = all.filter((purse) => fit(mostIn([purse])) === undefined);
            if (blocked.length > 0) return toReached(poorest(all));
            if (signal.aborted) return undefined;
            await untilChanged(changed.promise, signal);
          }
        },
        settle(costUsd, tokens) {
          for (const purse of all) purse.spent += costUsd ?? 0;
          for (const each of [run, ...bounded]) each.tokens += tokens;
          release();
          write(run, { runId, dispatchIds, costUsd, tokens });
        },
        end: () => change(run.row, { lastActiveAt: new Date(timeIn(run)).toISOString() }),
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
    addWait({ row }: OpenRun, ms: number): void {
      row.waitedMs += ms;
      change(row, { waitedMs: row.waitedMs, lastActiveAt: new Date(clock.now()).toISOString() });
    },

    /** Minutes of a run that count, until now if somebody works in it. */
    async minutesOf(row: RunRow): Promise<number> {
      const run = await runs.get(row.id)?.opening.catch(() => undefined);
      return run ? minutesOf(run.row, timeIn(run)) : minutesOf(row, Date.parse(row.lastActiveAt));
    },

    /** After the commit that has raised a limit: a run that is open knows of it. */
    async follow(raised: RaisedRun): Promise<void> {
      const run = await runs.get(raised.id)?.opening.catch(() => undefined);
      if (run) followRaise(run, raised);
      wake();
    },

    /** A turn that goes on after a restart has spent this before: no account of a turn has it yet. */
    async goOn(chargedUsd: number): Promise<void> {
      await beginDay();
      day.spent += chargedUsd;
    },
  };
}

function findUsed({ row, limits, tokens }: OpenRun, now: number): Reached | undefined {
  const minutes = minutesOf(row, now);
  if (minutes >= limits.wallMinutes) return { limit: 'wallMinutes', max: limits.wallMinutes, used: minutes };
  return tokens >= limits.tokens ? { limit: 'tokens', max: limits.tokens, used: tokens } : undefined;
}

function toReached({ limit, max, spent: used, agentId }: Purse): Reached {
  return { limit, max, used, ...(agentId && { agentId }) };
}

/** What is left to those above it bounds an agent without a budget of its own: there it is counted, too. */
function toOwnPurse({ id: agentId, sharesBudget, budgetUsd, costUsd }: DispatchRow): Purse {
  const max = sharesBudget ? undefined : budgetUsd;
  return { ...toPurse('budgetUsd', max ?? Number.POSITIVE_INFINITY, costUsd ?? 0), agentId };
}

async function untilChanged(change: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = () => resolve();
  signal.addEventListener('abort', leave, { once: true });
  await Promise.race([change, promise]).finally(() => signal.removeEventListener('abort', leave));
}
