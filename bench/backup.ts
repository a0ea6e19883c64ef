// A backup while eight writers write: how fast it is, and how much longer their commits take meanwhile. Beside it, what
// SQLite alone takes to copy the same database while nobody writes, without packing it or looking at it again.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { backup as copy, DatabaseSync } from 'node:sqlite';
import { pause, type Store } from '@toolyard/sdk';
import { writeBackup } from '../packages/harness/src/store/backup/write-backup.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { newEvent, newSession, openHomeStore } from './fill-home.ts';
import { type Arm, interleave, timed } from './interleave.ts';
import { type Summary, summarize, toMs } from './samples.ts';

const writers = 8;
const everyMs = 10;
const eventsToFill = 8_000;
const quietMs = 1_000;

export const backup: Benchmark = {
  name: 'backup',
  title: 'a backup while writing',
  async run({ rounds, folder }) {
    const home = await mkdtemp(join(folder, 'home-'));
    const store = await openHomeStore(home);
    try {
      const sessionIds = await fill(store);
      const delays = { quiet: [] as number[], during: [] as number[] };
      const found = await interleave(
        {
          quiet: { run: () => writing(store, sessionIds, delays.quiet, () => pause(quietMs)) },
          ours: { run: () => writing(store, sessionIds, delays.during, () => backUp(home)) },
          plain: toCopyArm(home, (database, target) => copy(database, target, { rate: 1_000 })),
          vacuum: toCopyArm(home, async (database, target) => database.exec(`VACUUM INTO '${target}'`)),
        },
        { rounds, perRound: 1, warmUp: 1 },
      );
      const { size } = await stat(join(home, 'toolyard.db'));
      return {
        rows: toRows(found, { quiet: summarize(delays.quiet), during: summarize(delays.during) }, size / 1e6),
        notes: [
          `Backup: ${writers} writers, each a durable commit every ${everyMs} ms. Ours checks, packs and reads back what it copies, in a thread; SQLite alone copies.`,
        ],
      };
    } finally {
      await store.close();
    }
  },
};

/** Some 35 MB, as compressible as a log is. */
async function fill(store: Store): Promise<string[]> {
  const sessions = Array.from({ length: writers }, newSession);
  await store.commit(async (tx) => {
    for (const session of sessions) await tx.insertSession(session);
  });
  const sessionIds = sessions.map(({ id }) => id);
  for (let made = 0; made < eventsToFill; made += 200) {
    const drafts = Array.from({ length: 200 }, (_, index) => {
      const words = Array.from(
        { length: 250 },
        (_, word) => `${(made + index) * 7919 + word * 104_729} said `,
      );
      const sessionId = sessionIds[index % writers] ?? '';
      return { ...newEvent(sessionId), type: 'text_delta' as const, data: { text: words.join('') } };
    });
    await store.commit((tx) => tx.append(drafts));
  }
  return sessionIds;
}

/** Writes for as long as `work` takes; gives how long that was. */
async function writing(
  store: Store,
  sessionIds: readonly string[],
  delays: number[],
  work: () => Promise<unknown>,
): Promise<number> {
  const over = new AbortController();
  const each = sessionIds.map(async (sessionId) => {
    while (!over.signal.aborted) {
      delays.push(await timed(() => store.commit((tx) => tx.append([newEvent(sessionId)]))));
      await pause(everyMs, over.signal);
    }
  });
  const took = await timed(work);
  over.abort();
  await Promise.all(each);
  return took;
}

async function backUp(home: string): Promise<void> {
  const target = join(home, 'bench.tar.gz');
  const job = { home, target, version: 'bench', createdAt: new Date().toISOString() };
  await writeBackup(job, new AbortController().signal);
  await rm(target);
}

function toCopyArm(home: string, work: (database: DatabaseSync, target: string) => Promise<unknown>): Arm {
  return {
    async run() {
      const target = join(home, 'bench.db');
      using database = new DatabaseSync(join(home, 'toolyard.db'), { readOnly: true });
      const took = await timed(() => work(database, target));
      await rm(target);
      return took;
    },
  };
}

type Found = Record<'quiet' | 'ours' | 'plain' | 'vacuum', Summary>;

function toRows(
  { ours, plain, vacuum }: Found,
  { quiet, during }: Record<'quiet' | 'during', Summary>,
  megabytes: number,
): Row[] {
  const rate = (found: Summary) => (megabytes / found.median) * 1_000;
  const toRateText = (found: Summary) => `${rate(found).toFixed(0)} MB/s`;
  return [
    {
      work: `backup of ${megabytes.toFixed(0)} MB while ${writers} write`,
      ours: toRateText(ours),
      peer: `SQLite alone, nobody writing ${toRateText(plain)}, \`VACUUM INTO\` ${toRateText(vacuum)}`,
      ratio: rate(ours) / rate(plain),
      numbers: {
        megabytesPerSecond: rate(ours),
        peerMegabytesPerSecond: rate(plain),
        vacuumMegabytesPerSecond: rate(vacuum),
      },
    },
    {
      work: 'durable commit during a backup, p99',
      ours: `${toMs(during.p99)} (median ${toMs(during.median)})`,
      peer: `without a backup ${toMs(quiet.p99)} (median ${toMs(quiet.median)})`,
      ratio: during.p99 / quiet.p99,
      target: '< 50 ms',
      met: during.p99 < 50,
      numbers: { p99: during.p99, median: during.median, peerP99: quiet.p99, peerMedian: quiet.median },
    },
  ];
}
