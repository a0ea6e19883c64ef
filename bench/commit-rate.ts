// How many durable commits a second the store makes with several writers at once, and how many events it takes in.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '@toolyard/sdk';
import type { Benchmark, Row } from './benchmark.ts';
import { newEvent, newSession, openHomeStore } from './fill-home.ts';
import { type Arm, interleave, timed } from './interleave.ts';
import { openPlainDatabase } from './plain-commits.ts';
import { type Summary, toRate } from './samples.ts';

const commitsPerRun = 256;
const eventsPerCommit = 256;
const eventCommitsPerRun = 16;

export const commitRate: Benchmark = {
  name: 'commit-rate',
  title: 'durable commits and events per second',
  async run({ rounds, folder }) {
    using plain = openPlainDatabase(folder);
    const store = await openHomeStore(await mkdtemp(join(folder, 'home-')));
    try {
      const sessionIds = await addSessions(store, 64);
      const writers = (count: number): Arm => ({
        run: () => timed(() => writeAtOnce(store, sessionIds.slice(0, count))),
      });
      const found = await interleave(
        {
          plain: { run: () => timed(() => plain.commit(commitsPerRun)) },
          one: writers(1),
          eight: writers(8),
          sixtyFour: writers(64),
          events: { run: () => timed(() => appendMany(store, sessionIds)) },
        },
        { rounds, perRound: 1, warmUp: 1 },
      );
      return { rows: toRows(found), notes: [] };
    } finally {
      await store.close();
    }
  },
};

async function addSessions(store: Store, count: number): Promise<string[]> {
  const sessions = Array.from({ length: count }, newSession);
  await store.commit(async (tx) => {
    for (const session of sessions) await tx.insertSession(session);
  });
  return sessions.map(({ id }) => id);
}

/** Each writer waits for its own commit before its next; together they make `commitsPerRun`. */
async function writeAtOnce(store: Store, sessionIds: readonly string[]): Promise<void> {
  const each = commitsPerRun / sessionIds.length;
  const write = async (sessionId: string) => {
    for (let commit = 0; commit < each; commit++) {
      await store.commit((tx) => tx.append([newEvent(sessionId), newEvent(sessionId)]));
    }
  };
  await Promise.all(sessionIds.map(write));
}

/** As the log does it with many sessions streaming: a few large batches of mixed sessions. */
async function appendMany(store: Store, sessionIds: readonly string[]): Promise<void> {
  const drafts = Array.from({ length: eventsPerCommit }, (_, index) =>
    newEvent(sessionIds[index % sessionIds.length] ?? ''),
  );
  for (let commit = 0; commit < eventCommitsPerRun; commit++) await store.commit((tx) => tx.append(drafts));
}

type Found = Record<'plain' | 'one' | 'eight' | 'sixtyFour' | 'events', Summary>;

function toRows({ plain, one, eight, sixtyFour, events }: Found): Row[] {
  const plainRate = toPerSecond(plain, commitsPerRun);
  const toRow = (work: string, found: Summary): Row => {
    const rate = toPerSecond(found, commitsPerRun);
    return {
      work,
      ours: toRate(rate),
      peer: `plain SQLite, one writer ${toRate(plainRate)}`,
      ratio: rate / plainRate,
      numbers: { perSecond: rate, peerPerSecond: plainRate },
    };
  };
  const eventRate = toPerSecond(events, eventCommitsPerRun * eventsPerCommit);
  return [
    toRow('durable commits, 1 writer', one),
    toRow('durable commits, 8 writers', eight),
    toRow('durable commits, 64 writers', sixtyFour),
    {
      work: `events appended, ${eventsPerCommit} to a commit`,
      ours: toRate(eventRate),
      numbers: { perSecond: eventRate },
    },
  ];
}

function toPerSecond({ median }: Summary, count: number): number {
  return (count / median) * 1_000;
}
