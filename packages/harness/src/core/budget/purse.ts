// Purses: how much money a run, an agent with all under it, or a day has, has spent and holds for steps under way. Kept in
import type { Store } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';
// memory by the one owner of the home; what is spent is written with the events that say so.

export interface Purse {
  /** Which limit it is. */
  limit: 'budgetUsd' | 'dailyUsd';
  /** Whose it is, when it is an agent's own. */
  agentId?: string;
  max: number;
  /** What a role says: nobody is asked for more than that. */
  most?: number | undefined;
  spent: number;
  /** For steps under way. */
  held: number;
}

export function toPurse(limit: Purse['limit'], max: number, spent: number): Purse {
  return { limit, max, spent, held: 0 };
}

/** What the poorest of them has left. */
export function leftIn(purses: readonly Purse[]): number {
  return Math.min(...purses.map(({ max, spent, held }) => max - spent - held));
}

/** The same once all that is held has been given back. */
export function mostIn(purses: readonly Purse[]): number {
  return Math.min(...purses.map(({ max, spent }) => max - spent));
}

/** The one that has the least. */
export function poorest([first, ...others]: readonly [Purse, ...Purse[]]): Purse {
  return others.reduce((least, each) => (mostIn([each]) < mostIn([least]) ? each : least), first);
}

export interface DayPurseDeps {
  store: Store;
  clock: Clock;
  dailyUsd(): number;
}

/** What all runs together may spend in a day. It ends at the server's midnight. */
export function createDayPurse({ store, clock, dailyUsd }: DayPurseDeps) {
  const purse = toPurse('dailyUsd', 0, 0);
  let today = '';
  return {
    purse,
    /** Before it is looked at: it is of today, with what may be spent now. */
    async begin(): Promise<void> {
      const now = new Date(clock.now());
      const name = now.toDateString();
      if (today !== name) {
        const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
        const spent = await store.reads.spentSince(midnight);
        if (today !== name) purse.spent = spent;
        today = name;
      }
      purse.max = dailyUsd();
    },
  };
}
