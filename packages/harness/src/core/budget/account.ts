// The account of a turn in a run that is open. Reserve before a step, settle when its usage comes; what is held for steps
// under way is nobody else's to spend.
import type { AskedLimit, RunLimits } from '@toolyard/sdk';
import { type Budget, minAvailable, minUnspent, tightestBudget } from './budget.ts';
import type { OpenRun } from './open-runs.ts';
import { isAt, roomFor, toAskedLimit } from './raise-limit.ts';
import { findExhaustedBound, firstExpiring, toTimes } from './role-bounds.ts';
import type { Reached } from './run-limits.ts';
import { minutesOf } from './run-row.ts';

/** How much of the money that is left a step wants; `undefined` when it cannot be done with that little. */
export type Fit = (leftUsd: number) => StepCost | undefined;

export interface StepCost {
  /** What it costs at most. A run holds this. */
  maxUsd: number;
  /** What it will hardly cost more than. A day holds this: else a few long steps would keep all others waiting. */
  likelyUsd: number;
}

const nothing: StepCost = { maxUsd: 0, likelyUsd: 0 };

export interface Account {
  run: OpenRun;
  /** Its own agent's dispatch, and those above. */
  dispatchIds: readonly string[];
  /** Holds what the next step may cost, waiting while others hold it; or says which limit is in the way. */
  reserve(fit: Fit, signal: AbortSignal): Promise<Reached | undefined>;
  /** A step has told what it used. */
  settle(costUsd: number | null, tokens: number): void;
  /** Gives back what is held, as while nothing can be spent. */
  release(): void;
  /** What may still be spent in it, if nobody else spends. */
  leftUsd(): number;
  /** The budget that has the least left. */
  tightest(): Reached;
  /**
   * When the time of its run, or of an agent on the way to it, is up. Not that of a run whose person can be asked for more:
   * they are, before the next step.
   */
  time(run: { asks: boolean }): { leftMs: number; reached: Reached } | undefined;
  /** Is the limit still where it was reached? Somebody may have raised it since. */
  isAt(reached: Reached): boolean;
  /** How much more of it a person may give; none of what a role says. */
  room(reached: Reached & { limit: keyof RunLimits }): number;
  /** What a person is asked about it: whether there shall be so much more. */
  toAsked(reached: Reached & { limit: keyof RunLimits }, by: number): AskedLimit;
  /** Before its turn's end is stored: that somebody has worked until now is stored with it. */
  end(): void;
  close(): void;
}

export interface AccountDeps {
  run: OpenRun;
  /** Of its own agent and those above it, from below. */
  own: ReadonlyMap<string, Budget>;
  day: { budget: Budget; begin(): Promise<void> };
  /** Resolves when somebody gives back what they held. */
  changed(): Promise<void>;
  wake(): void;
  now(): number;
  write(used: { costUsd: number | null; tokens: number }): void;
  end(): void;
  releaseRun(): void;
}

export function createAccount(deps: AccountDeps): Account {
  const { run, own, day, now } = deps;
  const all = [run.budget, ...own.values(), day.budget] as const;
  const dispatchIds = [...own.keys()];
  const bounded = dispatchIds.flatMap((id) => run.bounded.get(id) ?? []);
  /** Those that had not enough for what was last asked for. */
  let blocked: Budget[] = [];
  let held = nothing;
  let isOpen = true;

  function hold(next: StepCost): void {
    for (const budget of [run.budget, ...own.values()]) budget.reserved += next.maxUsd - held.maxUsd;
    day.budget.reserved += next.likelyUsd - held.likelyUsd;
    held = next;
  }

  function release(): void {
    if (held === nothing) return;
    hold(nothing);
    deps.wake();
  }

  async function reserve(fit: Fit, signal: AbortSignal): Promise<Reached | undefined> {
    await day.begin();
    for (;;) {
      release();
      const reached = findExhausted(run, now()) ?? findExhaustedBound(bounded, run.row, now());
      if (reached) return reached;
      const wanted = fit(minAvailable(all));
      if (wanted !== undefined) {
        blocked = [];
        hold(wanted);
        return undefined;
      }
      blocked = all.filter((budget) => fit(minUnspent([budget])) === undefined);
      if (blocked.length > 0) return toReached(tightestBudget(all));
      if (signal.aborted) return undefined;
      await untilChanged(deps.changed(), signal);
    }
  }

  return {
    run,
    dispatchIds,
    reserve,
    release,
    leftUsd: () => minUnspent(all),
    tightest: () => toReached(tightestBudget(all)),
    time({ asks }) {
      const ofRun = toTimeOf(run, now());
      const isAsked = asks && roomFor({ run, own }, ofRun, blocked) > 0;
      return firstExpiring([
        ...(isAsked ? [] : [ofRun]),
        ...bounded.flatMap((each) => toTimes(each, run.row, now())),
      ]);
    },
    isAt: (reached) => isAt({ run, own }, reached),
    room: (reached) => roomFor({ run, own }, reached, blocked),
    toAsked: (reached, by) => toAskedLimit({ run, own }, reached, { by, blocked }),
    settle(costUsd, tokens) {
      for (const budget of all) budget.spent += costUsd ?? 0;
      for (const each of [run, ...bounded]) each.tokens += tokens;
      release();
      deps.write({ costUsd, tokens });
    },
    end: deps.end,
    close() {
      if (!isOpen) return;
      isOpen = false;
      release();
      deps.releaseRun();
    },
  };
}

function findExhausted(run: OpenRun, now: number): Reached | undefined {
  const { limits, tokens } = run;
  const time = toTimeOf(run, now);
  if (time.used >= time.max) return time;
  return tokens >= limits.tokens ? { limit: 'tokens', max: limits.tokens, used: tokens } : undefined;
}

function toTimeOf({ row, limits }: OpenRun, now: number) {
  return { limit: 'wallMinutes', max: limits.wallMinutes, used: minutesOf(row, now) } as const;
}

function toReached({ limit, max, spent: used, agentId }: Budget): Reached {
  return { limit, max, used, ...(agentId && { agentId }) };
}

async function untilChanged(change: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  await Promise.race([change, promise]).finally(() => signal.removeEventListener('abort', onAbort));
}
