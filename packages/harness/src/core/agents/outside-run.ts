// The run that a draft from outside of a turn belongs to: the one that still goes on for its caller or session, or a new
// one. One caller at a time: those that come at the same moment are of one run, and its limits hold for all of them.
import type { RunLimits, RunRow, Session, Store } from '@toolyard/sdk';
import { readAgentChain } from '../agent-records/agent-tree.ts';
import type { Account } from '../budget/account.ts';
import type { Ledger } from '../budget/ledger.ts';
import { ensureRun } from '../budget/run-row.ts';
import { toCallers } from '../identity/callers.ts';
import { createKeyedMutex } from '../lib/keyed-mutex.ts';
import type { Clock } from '../lib/ports.ts';

const minuteMs = 60_000;

export interface OutsideRunDeps {
  store: Store;
  clock: Clock;
  ledger: Pick<Ledger, 'open'>;
  limitsOf(rootSessionId: string, run: Pick<RunRow, 'raised'>): Promise<RunLimits>;
}

export type OpenOutsideRun = (drafter: { session: Session; turnId: string }) => Promise<Account>;

export function createOutsideRuns({ store, clock, ledger, limitsOf }: OutsideRunDeps): OpenOutsideRun {
  const mutex = createKeyedMutex();

  /** Whoever calls from outside works all day: a run of theirs ends by the clock, and the next one begins. */
  async function isOver(run: RunRow): Promise<boolean> {
    const { wallMinutes } = await limitsOf(run.rootSessionId, run);
    return clock.now() - Date.parse(run.startedAt) >= wallMinutes * minuteMs;
  }

  return ({ session, turnId }) => {
    const whose = toCallers(session) ?? session.rootSessionId;
    return mutex(JSON.stringify(whose), async () => {
      const latest = await store.reads.latestRun(whose);
      const chain = await readAgentChain(store.reads, session);
      if (latest && !(await isOver(latest))) return ledger.open(latest.id, session, chain);
      const account = await ledger.open(turnId, session, chain);
      await store.commit((tx) => ensureRun(tx, account.run.row));
      return account;
    });
  };
}
