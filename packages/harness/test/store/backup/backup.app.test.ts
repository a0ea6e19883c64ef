// A backup while others write: one moment of the home, whole, with everything acknowledged before it began; and no
// writer waits for it.
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Store } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { verifyAudit } from '../../../src/core/audit/audit-chain.ts';
import { unpack } from '../../../src/core/backup/unpack.ts';
import { writeBackup } from '../../../src/store/backup/write-backup.ts';
import { at, sessionId, toDraft, toSession } from '../rows.ts';
import { newPath, openTestStore, refusal } from '../support.ts';

const never = new AbortController().signal;
const writers = [1, 2, 3, 4, 5, 6, 7, 8];

function toJob(path: string) {
  const home = dirname(path);
  const target = join(home, 'made.tar.gz');
  return { home, target, version: '1.2.3', createdAt: at };
}

/** The database of a backup, opened as a store of its own. */
async function openBackup(file: string): Promise<Store> {
  const path = newPath();
  const parts: Buffer[] = [];
  await unpack(file, {
    async onFile({ name }, bytes) {
      for await (const piece of bytes) if (name === 'toolyard.db') parts.push(piece);
    },
  });
  writeFileSync(path, Buffer.concat(parts));
  return (await openTestStore(path)).store;
}

/** Each commit of a writer is two events in different sessions and one row of evidence. */
async function write(store: Store, writer: number, number: number): Promise<void> {
  await store.commit(async (tx) => {
    await tx.append([toDraft(writer, `${number}`), toDraft(writer + 8, `${number}`)]);
    const actor = { kind: 'system', id: 'test', via: 'test' } as const;
    await tx.appendAudit({ kind: 'change', at, actor, costUsd: 0, change: 'mode_changed', subject: 'x' });
  });
}

/** With some megabytes in it, if copying is to take a while. */
async function openFilled({ isLarge = false } = {}): Promise<{ path: string; store: Store }> {
  const path = newPath();
  const { store } = await openTestStore(path);
  await store.commit(async (tx) => {
    for (const writer of writers) {
      await tx.insertSession(toSession(writer));
      await tx.insertSession(toSession(writer + 8));
    }
    const large = Array.from({ length: isLarge ? 150 : 1 }, () => toDraft(1, 'x'.repeat(20_000)));
    await tx.append([...large, ...large.map((draft) => ({ ...draft, sessionId: sessionId(9) }))]);
  });
  return { path, store };
}

/** What a backup has left in a home, whole or not. */
function leftIn(home: string): string[] {
  const made = readdirSync(home).filter((name) => name.startsWith('made'));
  return [...made, ...readdirSync(join(home, 'backups'))];
}

function textOf(event: { type: string; data: object }): string {
  return 'text' in event.data ? String(event.data.text) : event.type;
}

describe('a backup while eight writers write', () => {
  test('P1, P2, P14, P17: is one moment: all that was acknowledged before, no half commit, no gap, a chain that holds', async () => {
    const { path, store } = await openFilled({ isLarge: true });
    const acknowledged = new Map(writers.map((writer) => [writer, 0]));
    let isOver = false;
    const writing = writers.map(async (writer) => {
      for (let number = 1; !isOver; number += 1) {
        await write(store, writer, number);
        acknowledged.set(writer, number);
      }
    });
    while (writers.some((writer) => (acknowledged.get(writer) ?? 0) < 5)) await new Promise(setImmediate);
    const before = new Map(acknowledged);
    const made = await writeBackup(toJob(path), never);
    const after = new Map(acknowledged);
    isOver = true;
    await Promise.all(writing);

    const copy = await openBackup(toJob(path).target);
    let commits = 0;
    for (const writer of writers) {
      const [first = [], second = []] = await Promise.all(
        [writer, writer + 8].map(async (number) => {
          const texts = (await copy.reads.events(sessionId(number), 0, 1_000_000)).map(textOf);
          return texts.filter((text) => text.length < 20_000);
        }),
      );
      expect(second).toEqual(first);
      expect(first).toEqual(first.map((_, index) => `${index + 1}`));
      expect(first.length).toBeGreaterThanOrEqual(before.get(writer) ?? 0);
      commits += first.length;
    }
    expect(await verifyAudit(copy.reads)).toEqual({ ok: true, rows: commits });
    // They went on meanwhile, or this would have shown nothing.
    const total = (counts: Map<number, number>) =>
      [...counts.values()].reduce((sum, count) => sum + count, 0);
    expect(total(after)).toBeGreaterThan(total(before));
    expect(made).toMatchObject({ files: [{ path: 'toolyard.db' }], left: [] });
  });

  test('P11: leaves the thread that serves them free', async () => {
    const { path } = await openFilled({ isLarge: true });
    // The first one loads the code.
    await writeBackup(toJob(path), never);
    rmSync(toJob(path).target);
    const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()];
    await writeBackup(toJob(path), never);
    const used = toMicroseconds(process.threadCpuUsage(thread));
    expect(used / toMicroseconds(process.cpuUsage(all))).toBeLessThan(0.25);
  });
});

describe('a backup', () => {
  test('holds what only the write-ahead log has', async () => {
    const { path, store } = await openFilled();
    await write(store, 2, 1);
    await writeBackup(toJob(path), never);
    const copy = await openBackup(toJob(path).target);
    expect((await copy.reads.events(sessionId(2), 0, 10)).map(textOf)).toEqual(['1']);
  });

  test('leaves nothing but itself, for its owner’s eyes', async () => {
    const { path } = await openFilled();
    const { target, home } = toJob(path);
    const before = readdirSync(home);
    await writeBackup(toJob(path), never);
    expect(readdirSync(home).sort()).toEqual([...before, 'backups', 'made.tar.gz'].sort());
    expect(leftIn(home)).toEqual(['made.tar.gz']);
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  test('of a damaged database is refused, and leaves nothing', async () => {
    const { path, store } = await openFilled({ isLarge: true });
    await store.close();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(4_096), 0, 4_096, 400 * 4_096);
    closeSync(file);
    const { code, message } = await refusal(writeBackup(toJob(path), never));
    expect([code, message]).toEqual([
      'database_corrupt',
      expect.stringContaining(`The database ${path} is damaged`),
    ]);
    expect(leftIn(dirname(path))).toEqual([]);
  });

  test('does not take the name of another file', async () => {
    const { path } = await openFilled();
    writeFileSync(toJob(path).target, 'mine');
    const { code, message } = await refusal(writeBackup(toJob(path), never));
    expect([code, message]).toEqual(['backup_failed', expect.stringContaining('Choose another path')]);
    expect(leftIn(dirname(path))).toEqual(['made.tar.gz']);
  });

  test('into a directory that is not there says what to do', async () => {
    const { path } = await openFilled();
    const target = join(dirname(path), 'no', 'such', 'made.tar.gz');
    const { code } = await refusal(writeBackup({ ...toJob(path), target }, never));
    expect(['backup_failed', 'storage_failed']).toContain(code);
  });

  test('that is cut off leaves nothing', async () => {
    const { path } = await openFilled({ isLarge: true });
    mkdirSync(join(dirname(path), 'roles'));
    const stop = new AbortController();
    const making = refusal(writeBackup(toJob(path), stop.signal));
    await expect.poll(() => leftIn(dirname(path)), { interval: 1 }).not.toEqual([]);
    stop.abort();
    expect((await making).code).toBe('shutting_down');
    expect(leftIn(dirname(path))).toEqual([]);
  });
});

function toMicroseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}
