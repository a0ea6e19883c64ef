// What all runs together may spend in a day. It ends at the server's midnight.
import type { Store } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';
import { toPurse } from './purse.ts';

export interface DayPurseDeps {
  store: Store;
  clock: Clock;
  dailyUsd(): number;
}

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
