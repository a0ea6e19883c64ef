// The account of a turn in a run that is open. Reserve before a step, settle when its usage comes; what is held for steps
// under way is nobody else's to spend.
import type { AskedLimit, RunLimits } from '@toolyard/sdk';
import type { OpenRun } from './open-runs.ts';
import { leftIn, mostIn, type Purse, poorest } from './purse.ts';
import { isAt, roomFor, toAskedLimit } from './raise.ts';
import { findUsedBound, firstUp, toTimes } from './role-bounds.ts';
import type { Reached } from './run-limits.ts';
import { minutesOf } from './run-row.ts';

/** How much of the money that is left a step wants; `undefined` when it cannot be done with that little. */
export type Fit = (leftUsd: number) => Wanted | undefined;

export interface Wanted {
  /** What it costs at most. A run holds this. */
  mostUsd: number;
  /** What it will hardly cost more than. A day holds this: else a few long steps would keep all others waiting. */
  likelyUsd: number;
}

const nothing: Wanted = { mostUsd: 0, likelyUsd: 0 };

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
  scarcest(): Reached;
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

export interface AccountPlace {
  run: OpenRun;
  /** Of its own agent and those above it, from below. */
  own: ReadonlyMap<string, Purse>;
  day: { purse: Purse; begin(): Promise<void> };
  /** Resolves when somebody gives back what they held. */
  changed(): Promise<void>;
  wake(): void;
  now(): number;
  write(used: { costUsd: number | null; tokens: number }): void;
  end(): void;
  leave(): void;
}

export function createAccount(place: AccountPlace): Account {
  const { run, own, day, now } = place;
  const all = [run.purse, ...own.values(), day.purse] as const;
  const dispatchIds = [...own.keys()];
  const bounded = dispatchIds.flatMap((id) => run.bounded.get(id) ?? []);
  /** Those that had not enough for what was last asked for. */
  let blocked: Purse[] = [];
  let held = nothing;
  let isOpen = true;

  function hold(next: Wanted): void {
    for (const purse of [run.purse, ...own.values()]) purse.held += next.mostUsd - held.mostUsd;
    day.purse.held += next.likelyUsd - held.likelyUsd;
    held = next;
  }

  function release(): void {
    if (held === nothing) return;
    hold(nothing);
    place.wake();
  }

  async function reserve(fit: Fit, signal: AbortSignal): Promise<Reached | undefined> {
    await day.begin();
    for (;;) {
      release();
      const reached = findUsed(run, now()) ?? findUsedBound(bounded, run.row, now());
      if (reached) return reached;
      const wanted = fit(leftIn(all));
      if (wanted !== undefined) {
        blocked = [];
        hold(wanted);
        return undefined;
      }
      blocked = all.filter((purse) => fit(mostIn([purse])) === undefined);
      if (blocked.length > 0) return toReached(poorest(all));
      if (signal.aborted) return undefined;
      await untilChanged(place.changed(), signal);
    }
  }

  return {
    run,
    dispatchIds,
    reserve,
    release,
    leftUsd: () => mostIn(all),
    scarcest: () => toReached(poorest(all)),
    time({ asks }) {
      const ofRun = toTimeOf(run, now());
      const isAsked = asks && roomFor({ run, own }, ofRun, blocked) > 0;
      return firstUp([
        ...(isAsked ? [] : [ofRun]),
        ...bounded.flatMap((each) => toTimes(each, run.row, now())),
      ]);
    },
    isAt: (reached) => isAt({ run, own }, reached),
    room: (reached) => roomFor({ run, own }, reached, blocked),
    toAsked: (reached, by) => toAskedLimit({ run, own }, reached, { by, blocked }),
    settle(costUsd, tokens) {
      for (const purse of all) purse.spent += costUsd ?? 0;
      for (const each of [run, ...bounded]) each.tokens += tokens;
      release();
      place.write({ costUsd, tokens });
    },
    end: place.end,
    close() {
      if (!isOpen) return;
      isOpen = false;
      release();
      place.leave();
    },
  };
}

function findUsed(run: OpenRun, now: number): Reached | undefined {
  const { limits, tokens } = run;
  const time = toTimeOf(run, now);
  if (time.used >= time.max) return time;
  return tokens >= limits.tokens ? { limit: 'tokens', max: limits.tokens, used: tokens } : undefined;
}

function toTimeOf({ row, limits }: OpenRun, now: number) {
  return { limit: 'wallMinutes', max: limits.wallMinutes, used: minutesOf(row, now) } as const;
}

function toReached({ limit, max, spent: used, agentId }: Purse): Reached {
  return { limit, max, used, ...(agentId && { agentId }) };
}

async function untilChanged(change: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = () => resolve();
  signal.addEventListener('abort', leave, { once: true });
  await Promise.race([change, promise]).finally(() => signal.removeEventListener('abort', leave));
}
