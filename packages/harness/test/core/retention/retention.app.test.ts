// Retention: what goes, what must stay, in which order, and that nobody waits for it.
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Config, pause, type Session, type Store, ToolyardError } from '@toolyard/sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Logger } from '../../../src/core/lib/ports.ts';
import { createRetention, type RetentionDeps } from '../../../src/core/retention/retention.ts';
import { readRetentionFile } from '../../../src/core/retention/retention-report.ts';
import { startRetention } from '../../../src/core/retention/retention-schedule.ts';
import { sessionId, toSession } from '../../store/rows.ts';
import { openTestStore } from '../../store/support.ts';
import { memoryDirectory, quiet } from '../../support/yard.ts';
import { sampleDispatch } from '../tasks/dispatch-samples.ts';

const now = Date.parse('2026-11-15T12:00:00.000Z');
const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(now - days * dayMs).toISOString();
const never = new AbortController().signal;

async function openHome(config: Partial<Config['retention']> = {}, wrap = (store: Store) => store) {
  const home = await memoryDirectory();
  const opened = await openTestStore(join(home, 'toolyard.db'));
  const store = wrap(opened.store);
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  const logger: Logger = { ...quiet, info: say, warn: say, error: say };
  const deps: RetentionDeps = {
    home,
    store,
    logger,
    clock: { now: () => now },
    config: { ...Config.parse({}).retention, ...config },
    deleteSession: ({ id }) => store.commit((tx) => tx.deleteSession(id)),
  };
  return { home, store, said, deps, retention: createRetention(deps) };
}

type Home = Awaited<ReturnType<typeof openHome>>;

/** A session last touched so many days ago, with so many events of 10 KB. */
async function addSession(
  { store }: Home,
  number: number,
  days: number,
  events = 0,
  given: Partial<Session> = {},
): Promise<void> {
  await store.commit(async (tx) => {
    const updatedAt = daysAgo(days);
    await tx.insertSession({ ...toSession(number), createdAt: updatedAt, updatedAt, ...given });
  });
  const draft = { sessionId: sessionId(number), at: daysAgo(days), type: 'text_delta' } as const;
  for (let left = events; left > 0; left -= 50) {
    const count = Math.min(50, left);
    const data = { text: 'x'.repeat(10_000) };
    await store.commit((tx) => tx.append(Array.from({ length: count }, () => ({ ...draft, data }))));
  }
}

async function addFile({ home }: Home, name: string, days: number, bytes = 10): Promise<void> {
  const path = join(home, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'x'.repeat(bytes));
  await utimes(path, new Date(daysAgo(days)), new Date(daysAgo(days)));
}

async function listSessions({ store }: Home): Promise<string[]> {
  return (await store.reads.sessions({ limit: 100 })).map(({ id }) => id);
}

describe('by age', () => {
  it('deletes the sessions that nobody touched for so long, and says so', async () => {
    const home = await openHome({ days: 30 });
    for (const [index, days] of [31, 29, 400, 0].entries()) await addSession(home, index + 1, days, 1);
    const report = await home.retention.sweep(never);
    expect(await listSessions(home)).toEqual([sessionId(4), sessionId(2)]);
    expect(report).toMatchObject({
      removed: { sessions: 2, outputs: 0, traces: 0, logs: 0, agents: 0 },
      overCap: false,
    });
    expect(home.said).toEqual([
      'retention deleted a session',
      'retention deleted a session',
      'retention removed old data',
    ]);
    expect(await readRetentionFile(home.home)).toEqual({ last: report, lastRemoval: report });
    expect((await stat(join(home.home, 'retention.json'))).mode & 0o777).toBe(0o600);
  });

  it('removes outputs, traces and turned-over logs, those of sessions that are gone at any age', async () => {
    const home = await openHome({ days: 30 });
    await addSession(home, 1, 0);
    const [one, gone] = [sessionId(1), sessionId(9)];
    const stays = [
      `outputs/${one}/out_young`,
      `traces/${one}.jsonl`,
      'traces/notes.txt',
      'logs/toolyard.log',
      'logs/server.log',
      'logs/toolyard.1.log',
      'backups/toolyard-old.tar.gz',
    ];
    for (const name of stays)
      await addFile(
        home,
        name,
        name.includes('young') || name.includes('.1.') || name.includes('jsonl') ? 1 : 99,
      );
    await addFile(home, `outputs/${one}/out_old`, 99);
    await addFile(home, `outputs/${gone}/out_young`, 1);
    await utimes(join(home.home, 'outputs', gone), new Date(daysAgo(1)), new Date(daysAgo(1)));
    await addFile(home, `traces/${gone}.jsonl`, 1);
    await addFile(home, 'logs/toolyard.2.log', 99);
    await addFile(home, 'logs/server.log.old', 99);
    const { removed } = await home.retention.sweep(never);
    expect(removed).toEqual({ sessions: 0, outputs: 2, traces: 1, logs: 2, agents: 0 });
    const left = await readdir(home.home, { recursive: true, withFileTypes: true });
    const files = left
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(home.home.length + 1));
    expect(files.filter((name) => name.includes('/')).sort()).toEqual(stays.sort());
  });

  it('forgets agents that ended so long ago, once their sessions are gone; their task keeps its counts', async () => {
    const home = await openHome({ days: 30 });
    for (const [number, days] of [
      [1, 31],
      [2, 31],
      [3, 0],
    ] as const)
      await addSession(home, number, days);
    await home.store.commit(async (tx) => {
      await tx.insertTask({ slug: 'checkout', description: '', createdAt: daysAgo(40) });
      const at = daysAgo(31);
      const rest = { draftedAt: at, startedAt: at, endedAt: at, status: 'done' } as const;
      // More than are looked at in one step.
      for (let number = 0; number < 602; number++) {
        const session = sessionId(Math.min(3, 602 - number));
        await tx.insertDispatch(
          sampleDispatch(number, { ...rest, sessionId: session, rootSessionId: session }),
        );
      }
    });
    const { removed } = await home.retention.sweep(never);
    expect(removed).toEqual({ sessions: 2, outputs: 0, traces: 0, logs: 0, agents: 2 });
    const left = await home.store.reads.dispatches({ limit: 10 });
    expect(left.map((row) => row.sessionId)).toEqual(Array(10).fill(sessionId(3)));
    expect(await home.store.reads.task('checkout')).toMatchObject({ dispatchCount: 602 });
  });

  it('leaves files of a session that is only just being made', async () => {
    const home = await openHome();
    const path = join(home.home, 'outputs', sessionId(9));
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'out_new'), 'x');
    await utimes(path, new Date(now), new Date(now));
    await home.retention.sweep(never);
    expect(await readdir(path)).toEqual(['out_new']);
  });
});

describe('above the cap', () => {
  it('deletes what is untouched for longest, as much as it must and no more', async () => {
    const home = await openHome({ maxMb: 4 });
    // 1 MB each, half of it in the files of the third.
    for (const [number, days] of [
      [1, 5],
      [2, 9],
      [3, 7],
      [4, 3],
      [5, 2],
      [6, 1],
    ] as const)
      await addSession(home, number, days, number === 3 ? 0 : 100);
    await addFile(home, `outputs/${sessionId(3)}/out_1`, 7, 500_000);
    await addFile(home, `traces/${sessionId(3)}.jsonl`, 7, 500_000);
    const { removed, usedBytes, overCap } = await home.retention.sweep(never);
    expect(await listSessions(home)).toEqual([6, 5, 4].map(sessionId));
    expect([removed.sessions, overCap, usedBytes > 3_000_000, usedBytes < 4_194_304]).toEqual([
      3,
      false,
      true,
      true,
    ]);
    expect((await stat(join(home.home, 'toolyard.db'))).size).toBeLessThan(5_000_000);
  });

  it('never takes what is running, waited for or was used within the hour, and says that it is too much', async () => {
    const home = await openHome({ maxMb: 1 });
    for (const number of [1, 2, 3, 4]) await addSession(home, number, 9, 50);
    await home.store.commit(async (tx) => {
      await tx.updateSession(sessionId(1), { status: 'running' });
      await tx.updateSession(sessionId(2), { status: 'waiting' });
      const at = new Date(now - 30 * 60_000).toISOString();
      await tx.updateSession(sessionId(3), { updatedAt: at });
      const turn = { id: 'trn_1', originTurnId: 'trn_1', content: 'x', seq: 1, costUsd: 0, createdAt: at };
      await tx.insertTurn({ ...turn, sessionId: sessionId(4), state: 'queued' });
    });
    const { removed, overCap } = await home.retention.sweep(never);
    expect([removed.sessions, overCap, (await listSessions(home)).length]).toEqual([0, true, 4]);
    expect(home.said).toEqual([
      'sessions exceed retention.maxMb, and deleting those that may be deleted is not enough',
    ]);
  });

  it('deletes nothing when all that may go would not be enough', async () => {
    const rows = await openHome({ maxMb: 1 });
    await addSession(rows, 1, 9, 150, { origin: 'outside' });
    const files = await openHome({ maxMb: 1 });
    await addSession(files, 1, 9, 0, { status: 'running' });
    await addFile(files, `outputs/${sessionId(1)}/out_1`, 1, 1_500_000);
    for (const home of [rows, files]) {
      for (const number of [2, 3]) await addSession(home, number, 9, 5);
      const { removed, overCap } = await home.retention.sweep(never);
      expect([removed.sessions, overCap, (await listSessions(home)).length]).toEqual([0, true, 3]);
    }
  });

  it('counts neither evidence nor logs, which stay whatever it deletes, and says that they are too much', async () => {
    const home = await openHome({ maxMb: 1 });
    for (const number of [1, 2, 3]) await addSession(home, number, 9, 5);
    const actor = { kind: 'system', id: 'x', via: 'x' } as const;
    const subject = 'x'.repeat(1_000);
    await home.store.commit(async (tx) => {
      for (let row = 0; row < 1_500; row++)
        await tx.appendAudit({
          kind: 'change',
          at: daysAgo(1),
          actor,
          costUsd: 0,
          change: 'token_created',
          subject,
        });
    });
    await addFile(home, 'logs/toolyard.log', 1, 3_000_000);
    const { removed, usedBytes, keptBytes, overCap } = await home.retention.sweep(never);
    expect([removed.sessions, overCap, (await listSessions(home)).length]).toEqual([0, false, 3]);
    expect([usedBytes < 1_000_000, keptBytes > 4_500_000, keptBytes < 5_500_000]).toEqual([true, true, true]);
    expect(home.said).toEqual(['data that is always kept exceeds retention.maxMb']);
  });

  it('never touches evidence, and does not count backups', async () => {
    const home = await openHome({ maxMb: 1 });
    await addFile(home, 'backups/toolyard-1.tar.gz', 0, 3_000_000);
    await addSession(home, 1, 9);
    const entry = {
      kind: 'change',
      at: daysAgo(999),
      actor: { kind: 'system', id: 'x', via: 'x' },
      costUsd: 0,
    } as const;
    await home.store.commit((tx) => tx.appendAudit({ ...entry, change: 'token_created', subject: 'x' }));
    const { removed } = await home.retention.sweep(never);
    expect([removed.sessions, (await home.store.reads.auditHead()).rows]).toEqual([0, 1]);
  });
});

describe('a sweep', () => {
  it('goes on after a session that cannot be deleted', async () => {
    const home = await openHome();
    for (const number of [1, 2, 3]) await addSession(home, number, 100);
    const retention = createRetention({
      ...home.deps,
      async deleteSession(session) {
        if (session.id === sessionId(1)) throw new Error('no');
        return session.id === sessionId(2) ? false : home.deps.deleteSession(session);
      },
    });
    expect((await retention.sweep(never)).removed.sessions).toBe(1);
    expect(await listSessions(home)).toEqual([sessionId(2), sessionId(1)]);
  });

  it('ends when the disk refuses, and does its work the next time', async () => {
    let isFull = true;
    const full = () =>
      Promise.reject(
        new ToolyardError('storage_failed', 'The disk is full.', { data: { reason: 'disk_full' } }),
      );
    const home = await openHome();
    await addSession(home, 1, 100);
    const retention = createRetention({
      ...home.deps,
      deleteSession: (session) => (isFull ? full() : home.deps.deleteSession(session)),
    });
    await expect(retention.sweep(never)).rejects.toMatchObject({ code: 'storage_failed' });
    isFull = false;
    expect((await retention.sweep(never)).removed.sessions).toBe(1);
  });

  it('P11: holds nobody up, however long the log of a session is', async () => {
    const home = await openHome();
    await addSession(home, 1, 100, 3_000);
    await addSession(home, 2, 0);
    let longest = 0;
    let last = performance.now();
    const watching = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const sweeping = home.retention.sweep(never);
    let commits = 0;
    let isOver = false;
    void sweeping.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await home.store.commit((tx) => tx.updateSession(sessionId(2), { title: `t${commits}` }));
      commits += 1;
    }
    clearInterval(watching);
    expect((await sweeping).removed.sessions).toBe(1);
    expect([commits > 3, longest < 2_000]).toEqual([true, true]);
    expect((await home.store.reads.storeSize()).freeBytes).toBe(0);
  });

  it('stops at its next step when it is told to, and the next one finishes what it began', async () => {
    const home = await openHome();
    for (const number of [1, 2, 3]) await addSession(home, number, 100);
    const stop = new AbortController();
    const retention = createRetention({
      ...home.deps,
      deleteSession(session) {
        stop.abort();
        return home.deps.deleteSession(session);
      },
    });
    await retention.sweep(stop.signal);
    expect(await listSessions(home)).toEqual([sessionId(3), sessionId(2)]);
    await home.retention.sweep(never);
    expect(await listSessions(home)).toEqual([]);
  });
});

describe('the clock', () => {
  it('sweeps soon after the start and again and again, one at a time, and ends when it is closed', async () => {
    let running = 0;
    let max = 0;
    let count = 0;
    const report = {
      at: daysAgo(0),
      removed: { sessions: 0, outputs: 0, traces: 0, logs: 0, agents: 0 },
      usedBytes: 0,
      keptBytes: 0,
      overCap: false,
    };
    const sweep = async () => {
      count += 1;
      max = Math.max(max, ++running);
      await pause(5);
      running -= 1;
      if (count === 2) throw new Error('no');
      return report;
    };
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const clock = startRetention({ sweep }, quiet, { firstMs: 1, nextMs: 1 });
    await vi.advanceTimersByTimeAsync(50);
    expect([count >= 4, max]).toEqual([true, 1]);
    await Promise.all([clock.close(), vi.advanceTimersByTimeAsync(50)]);
    expect([vi.getTimerCount(), max, running]).toEqual([0, 1, 0]);
  });

  it('waits for the step that is under way when it is closed', async () => {
    const home = await openHome();
    await addSession(home, 1, 100);
    const begun = Promise.withResolvers<void>();
    const sweep = (signal: AbortSignal) => {
      begun.resolve();
      return home.retention.sweep(signal);
    };
    const clock = startRetention({ sweep }, quiet, { firstMs: 0 });
    await begun.promise;
    await clock.close();
    await home.store.close();
    expect(
      JSON.parse(await readFile(join(home.home, 'retention.json'), 'utf8').catch(() => '{}')),
    ).toBeTypeOf('object');
  });
});
