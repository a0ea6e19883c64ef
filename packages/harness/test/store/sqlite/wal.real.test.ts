// P15 and P1: what a killed owner leaves in the write-ahead log is kept, and damage inside it is not passed over.
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findLostFrame } from '../../../src/store/sqlite/wal.ts';
import { startChild } from '../child-process.ts';
import { addSession, append, readTexts } from '../rows.ts';
import { newPath, openRaw, openTestStore, refusal } from '../support.ts';

const pageSize = 4096;
const frameBytes = pageSize + 24;

/** Kills an owner in the middle of its 120th commit: the newest ones are then in the log only. */
async function recordLog() {
  const path = newPath();
  const child = startChild(path, 'write', 'commit.written', '120');
  await child.gone;
  return {
    database: readFileSync(path),
    log: readFileSync(`${path}-wal`),
    acknowledged: child.lines.slice(1),
  };
}

let recorded: ReturnType<typeof recordLog> | undefined;

/** A copy of what the killed owner left. */
async function leaveLog(): Promise<{ path: string; acknowledged: string[]; frames: number }> {
  recorded ??= recordLog();
  const { database, log, acknowledged } = await recorded;
  const path = newPath();
  writeFileSync(path, database);
  writeFileSync(`${path}-wal`, log);
  return { path, acknowledged, frames: Math.floor((log.length - 32) / frameBytes) };
}

/** Zeros, or for a single byte another one than it was. */
function damageLog(path: string, start: number, length: number): void {
  const log = readFileSync(`${path}-wal`);
  const byte = length === 1 ? (log[start] ?? 0) ^ 0xff : 0;
  writeFileSync(`${path}-wal`, log.fill(byte, start, start + length));
}

describe('the log of a killed owner', () => {
  test('P1: holds every acknowledged event', async () => {
    const { path, acknowledged, frames } = await leaveLog();
    expect(frames).toBeGreaterThan(100);
    const { store } = await openTestStore(path);
    expect(await readTexts(store)).toEqual(acknowledged);
  });

  test.each([
    [
      'a frame in the middle is zeros',
      (frames: number) => [32 + Math.floor(frames / 2) * frameBytes, frameBytes],
    ],
    [
      'a byte in the middle has changed',
      (frames: number) => [32 + Math.floor(frames / 2) * frameBytes + 100, 1],
    ],
    ['the first frame is zeros', () => [32, frameBytes]],
    ['its header is zeros', () => [0, 32]],
    ['its first half is zeros', (frames: number) => [0, 32 + Math.floor(frames / 2) * frameBytes]],
  ])('P15: is reported as damaged when %s, and stays as it is', async (_, place) => {
    const { path, frames } = await leaveLog();
    const [start = 0, length = 0] = place(frames);
    damageLog(path, start, length);
    const before = [readFileSync(path), readFileSync(`${path}-wal`)];
    const { code, message } = await refusal(openTestStore(path));
    expect(code).toBe('database_corrupt');
    expect(message).toMatch(/frame \d+ of its write-ahead log is broken and hides later commits/);
    expect([readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
  });

  test('is taken up to its last whole commit when only its end is torn, as by a power cut', async () => {
    const { path, acknowledged } = await leaveLog();
    truncateSync(`${path}-wal`, readFileSync(`${path}-wal`).length - 100);
    const { store } = await openTestStore(path);
    const texts = await readTexts(store);
    expect(texts.length).toBeGreaterThan(acknowledged.length - 10);
    expect(acknowledged.slice(0, texts.length)).toEqual(texts);
  });

  test('is no cause for alarm when it is empty or cut inside its header', () => {
    const found = [0, 20, 32, 100].map((length) => findLostFrame(Buffer.alloc(length), pageSize));
    expect(found).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('is no cause for alarm when a new round has overwritten only its beginning', async () => {
    const path = newPath();
    const { store } = await openTestStore(path);
    await addSession(store);
    for (let round = 0; round < 30; round += 1) await append(store, `first round ${round}`);
    openRaw(path).exec('PRAGMA wal_checkpoint(RESTART)');
    await append(store, 'second round');
    const log = readFileSync(`${path}-wal`);
    expect(log.length).toBeGreaterThan(60 * frameBytes);
    expect(findLostFrame(log, pageSize)).toBeUndefined();
  });
});
