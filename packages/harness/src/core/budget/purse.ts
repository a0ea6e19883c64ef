// Purses: how much money a run, an agent with all under it, or a day has, has spent and holds for steps under way. Kept in
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
