// What a turn has of the ledger: its account, in a run that is open. Types only.
import type { AskedLimit, Config, Role, RunLimits, RunRow } from '@toolyard/sdk';
import type { Purse } from './purse.ts';
import type { Bounded } from './role-bounds.ts';
import type { Reached } from './run-limits.ts';

/** A run while one of its turns is open. */
export interface OpenRun {
  /** Since when its root waits for a person. */
  awaySince?: number | undefined;
  row: RunRow;
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
  /** What the root of the run is. */
  as?: { role: Role; config: Config } | undefined;
}

/** How much of the money that is left a step wants; `undefined` when it cannot be done with that little. */
export type Fit = (leftUsd: number) => number | undefined;

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
  /** When the time of its run, or of an agent on the way to it, is up. */
  time(): { leftMs: number; reached: Reached };
  /** Is the limit still where it was reached? Somebody may have raised it since. */
  isAt(reached: Reached): boolean;
  /** What a person is asked about it: whether there shall be so much more. */
  toAsked(reached: Reached & { limit: keyof RunLimits }, by: number): AskedLimit;
  /** Before its turn's end is stored: that somebody has worked until now is stored with it. */
  end(): void;
  close(): void;
}
