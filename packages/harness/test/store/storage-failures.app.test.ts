// C7: a full disk, a locked and a read-only database. The request fails in words, nothing is acknowledged, and the
// store goes on by itself once the cause is gone.
import { chmodSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addSession, append, readTexts, sessionId, toDraft } from './rows.ts';
import { newPath, openRaw, openTestStore, refusal } from './support.ts';

const maxPages = 100;

async function openSmall() {
  const path = newPath();
  const { store } = await openTestStore(path, { maxPages });
  await addSession(store);
  return { path, store };
}

describe('C7: a full disk', () => {
  test('fails the write in words, stores nothing of it, and the store works again once there is room', async () => {
    const { path, store } = await openSmall();
    const raw = openRaw(path);
    raw.exec('CREATE TABLE filler (x BLOB)');
    const free = maxPages - Number(raw.prepare('PRAGMA page_count').get()?.page_count);
    raw.exec(`INSERT INTO filler VALUES (zeroblob(${(free - 3) * 4096}))`);
    const heard: unknown[] = [];
    store.onCommitted((events) => heard.push(...events));
    const { code, message, data } = await refusal(append(store, 'x'.repeat(40_000)));
    expect({ code, data }).toEqual({ code: 'storage_failed', data: { reason: 'disk_full' } });
    expect(message).toContain('the disk is full');
    expect([heard, await readTexts(store)]).toEqual([[], []]);
    raw.exec('DELETE FROM filler');
    await append(store, 'y'.repeat(40_000));
    expect(await readTexts(store)).toEqual(['y'.repeat(40_000)]);
  });

  test('fails only the write that does not fit', async () => {
    const { store } = await openSmall();
    const settled = await Promise.allSettled([
      append(store, 'fits'),
      append(store, 'x'.repeat(400_000)),
      store.commit((tx) => tx.updateSession(sessionId(1), { title: 'Fits too' })),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([await readTexts(store), (await store.reads.session(sessionId(1)))?.title]).toEqual([
      ['fits'],
      'Fits too',
    ]);
  });

  test('fails a write that ignores the failure of one of its rows', async () => {
    const { store } = await openSmall();
    const careless = store.commit(async (tx) => {
      await tx.append([toDraft(1, 'x'.repeat(400_000))]).catch(() => {});
      await tx.updateSession(sessionId(1), { title: 'Half a write' }).catch(() => {});
    });
    expect((await refusal(careless)).data).toEqual({ reason: 'disk_full' });
    expect((await store.reads.session(sessionId(1)))?.title).toBe('A session');
  });

  test('at the first start is said in words, and the next start is whole', async () => {
    const path = newPath();
    const { code, data } = await refusal(openTestStore(path, { maxPages: 5 }));
    expect({ code, data }).toEqual({ code: 'storage_failed', data: { reason: 'disk_full' } });
    const { store } = await openTestStore(path);
    await addSession(store);
  });
});

describe('C7: a locked database', () => {
  test('is waited for, and the event loop goes on meanwhile', async () => {
    const path = newPath();
    const { store } = await openTestStore(path);
    await addSession(store);
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    let longestPause = 0;
    let last = performance.now();
    const ticking = setInterval(() => {
      longestPause = Math.max(longestPause, performance.now() - last);
      last = performance.now();
    }, 10);
    onTestFinished(() => clearInterval(ticking));
    const start = performance.now();
    const writes = Promise.all([append(store, 'a'), append(store, 'b')]);
    await sleep(1_000);
    expect(await readTexts(store)).toEqual([]);
    raw.exec('ROLLBACK');
    await writes;
    expect(performance.now() - start).toBeGreaterThan(950);
    expect(longestPause).toBeLessThan(700);
    expect(await readTexts(store)).toEqual(['a', 'b']);
  });

  test('fails everyone waiting in words after the time allowed, and works again once it is free', async () => {
    const path = newPath();
    const { store } = await openTestStore(path, {}, { busyTimeoutMs: 200 });
    await addSession(store);
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const start = performance.now();
    const errors = await Promise.all([append(store, 'a'), append(store, 'b')].map(refusal));
    const waited = performance.now() - start;
    expect(errors.map(({ code, data }) => ({ code, data }))).toEqual(
      Array(2).fill({ code: 'storage_failed', data: { reason: 'busy' } }),
    );
    expect(errors[0]?.message).toContain('another process has locked it');
    expect([waited > 190, waited < 4_000]).toEqual([true, true]);
    raw.exec('ROLLBACK');
    await append(store, 'c');
    expect(await readTexts(store)).toEqual(['c']);
  });

  test('is waited for at the start as well', async () => {
    const path = newPath();
    await (await openTestStore(path)).store.close();
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const opening = openTestStore(path);
    const tooLate = await refusal(openTestStore(path, {}, { busyTimeoutMs: 100 }));
    raw.exec('ROLLBACK');
    expect(tooLate.data).toEqual({ reason: 'busy' });
    await addSession((await opening).store);
  });
});

describe('C7: a read-only database', () => {
  /** Root may write everywhere; for the length of `action` the test is nobody. */
  async function asNobody<T>(action: () => Promise<T>): Promise<T> {
    if (process.getuid?.() !== 0) return await action();
    process.seteuid?.(65534);
    try {
      return await action();
    } finally {
      process.seteuid?.(0);
    }
  }

  test('is refused in words, is not changed, and opens once it may be written', async () => {
    const path = newPath();
    const { store } = await openTestStore(path);
    await addSession(store);
    await store.close();
    const before = readFileSync(path);
    chmodSync(path, 0o444);
    chmodSync(dirname(path), 0o555);
    const { code, message, data } = await asNobody(() => refusal(openTestStore(path)));
    expect({ code, data }).toEqual({ code: 'storage_failed', data: { reason: 'read_only' } });
    expect(message).toContain(`${path} is read-only`);
    chmodSync(dirname(path), 0o700);
    chmodSync(path, 0o600);
    expect(readFileSync(path).equals(before)).toBe(true);
    const again = await openTestStore(path);
    await append(again.store, 'x');
  });

  test('in a directory that does not exist is refused in words', async () => {
    const { code, message, data } = await refusal(openTestStore('/nonexistent/toolyard.db'));
    expect({ code, data }).toEqual({ code: 'storage_failed', data: { reason: 'cannot_open' } });
    expect(message).toContain('Check that its directory exists');
  });
});
