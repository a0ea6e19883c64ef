// The time of a run is that in which somebody works in it. With a clock that is turned by hand.
import type { DispatchRow, RunLimits, Session } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { createLedger } from '../../../src/core/budget/ledger.ts';
import { newRun } from '../../../src/core/budget/run-row.ts';
import { createLog } from '../../../src/core/log/log.ts';
import { newPath, openTestStore } from '../../store/support.ts';
import { quiet } from '../../support/yard.ts';
import { idOf, insertDispatches, liveDispatch, startOfDay } from '../tasks/dispatch-samples.ts';

const minuteMs = 60_000;
const limits: RunLimits = {
  maxDepth: 3,
  maxChildren: 5,
  maxAgents: 50,
  spawnPerMinute: 30,
  budgetUsd: 10,
  tokens: 1_000_000,
  wallMinutes: 10,
};
const root: Pick<Session, 'rootSessionId'> = { rootSessionId: idOf('ses', 1) };
const runId = idOf('trn', 1);
const fits = () => ({ maxUsd: 0, likelyUsd: 0 });

async function open(agents: DispatchRow[] = []) {
  let now = Date.parse(startOfDay);
  const clock = { now: () => now };
  const { store } = await openTestStore(newPath());
  const start = () => {
    const log = createLog({ store, clock, logger: quiet });
    const rootOf = async () => ({ config: { limits }, role: {} });
    const ledger = createLedger({ store, log, clock, dailyUsd: () => 50, rootOf });
    return { log, ledger };
  };
  let { log, ledger } = start();
  await store.commit((tx) => tx.insertTask({ slug: 'checkout', description: '', createdAt: startOfDay }));
  await insertDispatches(store, agents);
  const flush = () => log.close();

  return {
    store,
    turn: (minutes: number) => {
      now += minutes * minuteMs;
    },
    /** Of the root, or of an agent that begins. */
    openAccount: (agent?: DispatchRow) => ledger.open(runId, root, agent ? [agent] : [], { begins: true }),
    /** Of an agent that goes on after a restart. */
    resumeAccount: (agent: DispatchRow) => ledger.open(runId, root, [agent]),
    addWait: (...given: Parameters<typeof ledger.addWait>) => ledger.addWait(...given),
    minutes: async () => ledger.minutesOf((await store.reads.run(runId)) ?? newRun('', '', startOfDay)),
    flush,
    /** As if the server was killed: only what is stored is known. */
    async restart() {
      await flush();
      ({ log, ledger } = start());
    },
  };
}

type Ledger = Awaited<ReturnType<typeof open>>;

/** Somebody works for so long, as the turn of an agent or the root does it. Says which limit was in the way at its end. */
async function work({ openAccount, turn, flush }: Ledger, minutes: number, agent?: DispatchRow) {
  const account = await openAccount(agent);
  turn(minutes);
  const reached = await account.reserve(fits, new AbortController().signal);
  account.settle(0, 0);
  account.end();
  await flush();
  account.close();
  return reached && { limit: reached.limit, used: Math.round(reached.used) };
}

const bounded = (number: number) => liveDispatch(number, { status: 'queued', bounds: { wallMinutes: 5 } });

describe('the time of a run', () => {
  it('adds up over agents that work one after another', async () => {
    const agents = [1, 2, 3].map((number) => liveDispatch(number, { status: 'queued' }));
    const ledger = await open(agents);
    await work(ledger, 1);
    const ends = [];
    for (const agent of agents) {
      ledger.turn(30);
      ends.push(await work(ledger, 4, agent));
    }
    expect(ends).toEqual([undefined, undefined, { limit: 'wallMinutes', used: 13 }]);
    expect(await ledger.minutes()).toBeCloseTo(13);
  });

  it('goes on for all while one of them works', async () => {
    const ledger = await open([liveDispatch(1)]);
    const first = await ledger.openAccount();
    ledger.turn(8);
    expect(await work(ledger, 4, liveDispatch(1))).toEqual({ limit: 'wallMinutes', used: 12 });
    first.close();
  });

  it('leaves out what lay between, however often somebody tries again, and over a restart', async () => {
    const ledger = await open();
    const ends = [await work(ledger, 1)];
    for (const isRestarted of [false, true, false, true]) {
      ledger.turn(11);
      if (isRestarted) await ledger.restart();
      ends.push(await work(ledger, 1), await work(ledger, 1));
    }
    expect(ends).toEqual(Array.from({ length: 9 }, () => undefined));
    expect(await ledger.minutes()).toBeCloseTo(9);
    expect(await work(ledger, 2)).toEqual({ limit: 'wallMinutes', used: 11 });
  });

  it('leaves out what its root waits for a person, once, also when the server is killed meanwhile', async () => {
    const ledger = await open([liveDispatch(1)]);
    const [account, since] = [await ledger.openAccount(), Date.parse(startOfDay) + 2 * minuteMs];
    ledger.turn(2);
    account.run.waitingSince = since;
    const child = await ledger.openAccount(liveDispatch(1));
    ledger.turn(30);
    child.settle(0, 0);
    expect(await ledger.minutes()).toBeCloseTo(2);
    await ledger.restart();
    expect(await work(ledger, 3)).toBeUndefined();
    expect(await ledger.minutes()).toBeCloseTo(5);
  });

  it('is known up to the last step when the server is killed', async () => {
    const ledger = await open();
    const account = await ledger.openAccount();
    ledger.turn(3);
    account.settle(0, 0);
    ledger.turn(60);
    await ledger.restart();
    expect(await ledger.minutes()).toBeCloseTo(3);
    expect(await work(ledger, 2)).toBeUndefined();
    expect(await ledger.minutes()).toBeCloseTo(5);
  });

  it('leaves out the wait that was over when the server stopped', async () => {
    const ledger = await open();
    const account = await ledger.openAccount();
    ledger.turn(30);
    ledger.addWait(account.run, 28 * minuteMs);
    ledger.turn(1);
    await ledger.restart();
    expect(await work(ledger, 3)).toBeUndefined();
    expect(await ledger.minutes()).toBeCloseTo(5);
  });
});

describe('the time of a run whose person can be asked for more', () => {
  it('cuts nobody off, and that of a role still does', async () => {
    const ledger = await open([liveDispatch(1), bounded(2)]);
    const accounts = [await ledger.openAccount(liveDispatch(1)), await ledger.openAccount(bounded(2))];
    ledger.turn(11);
    const ups = [true, false].map((asks) => accounts.map((each) => each.time({ asks })?.reached.max));
    expect(ups).toEqual([
      [undefined, 5],
      [10, 5],
    ]);
  });
});

describe('the time that a role gives an agent', () => {
  it('begins with its work, not with its draft, whoever has worked in the run meanwhile', async () => {
    const ledger = await open([bounded(1), bounded(2)]);
    expect(await work(ledger, 4)).toBeUndefined();
    ledger.turn(20);
    expect(await work(ledger, 4, bounded(1))).toBeUndefined();
    expect(await ledger.store.reads.dispatch(idOf('agt', 1))).toMatchObject({
      bounds: { wallMinutes: 5, beganMs: 4 * minuteMs },
    });
  });

  it('is not longer for having been queued', async () => {
    const ledger = await open([bounded(1)]);
    ledger.turn(20);
    expect(await work(ledger, 6, bounded(1))).toEqual({ limit: 'wallMinutes', used: 6 });
  });

  it('goes on after a restart', async () => {
    const ledger = await open([bounded(1)]);
    await work(ledger, 3, bounded(1));
    await ledger.restart();
    ledger.turn(60);
    const row = await ledger.store.reads.dispatch(idOf('agt', 1));
    const resumed = row && (await ledger.resumeAccount(row));
    ledger.turn(3);
    expect(resumed?.time({ asks: false })?.leftMs).toBeCloseTo(-minuteMs);
  });
});
