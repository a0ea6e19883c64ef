// The operator's log on disk: bounded, whole lines, nothing lost at the turn-over, nothing held for a disk that is slow.
import { appendFile, chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { createLogDisk, type LogDisk, type OpenLog } from '../../src/core/log-disk.ts';
import { createLogFile, type LogFileOptions } from '../../src/core/log-file.ts';
import { processorMs } from '../support/processor-time.ts';
import { temporaryDirectory } from '../support/yard.ts';

const toDropNote = (count: number) => `dropped ${count}\n`;
const line = (number: number) => `${String(number).padStart(9, '0')}\n`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => line(from + index));

async function openFolder(options: Partial<LogFileOptions> = {}) {
  const folder = join(await temporaryDirectory(), 'logs');
  const open = (more: Partial<LogFileOptions> = {}) =>
    createLogFile({ disk: createLogDisk(folder), toDropNote, ...options, ...more });
  const read = (name = 'toolyard.log') => readFile(join(folder, name), 'utf8');
  /** All there is, oldest first. */
  const readAll = async () => {
    const toNumber = (name: string) => Number(/\d/.exec(name)?.[0] ?? 0);
    const names = (await readdir(folder)).sort((one, other) => toNumber(other) - toNumber(one));
    return (await Promise.all(names.map((name) => read(name)))).join('');
  };
  return { folder, open, read, readAll };
}

describe('the file', () => {
  it('holds every line in order, for its owner alone', async () => {
    const { folder, open, read } = await openFolder();
    const log = open();
    for (const each of lines(0, 500)) log.write(each);
    await log.close();
    expect(await read()).toBe(lines(0, 500).join(''));
    expect([
      (await stat(folder)).mode & 0o777,
      (await stat(join(folder, 'toolyard.log'))).mode & 0o777,
    ]).toEqual([0o700, 0o600]);
  });

  it('is closed to others when it was not', async () => {
    const { folder, open } = await openFolder();
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(folder, 'toolyard.log'), '', { mode: 0o644 });
    await chmod(join(folder, 'toolyard.log'), 0o644);
    const log = open();
    log.write(line(1));
    await log.close();
    expect([
      (await stat(folder)).mode & 0o777,
      (await stat(join(folder, 'toolyard.log'))).mode & 0o777,
    ]).toEqual([0o700, 0o600]);
  });

  it('turns over by size: nothing is lost, and only so many are kept', async () => {
    const { folder, open, readAll } = await openFolder({ maxBytes: 100, files: 4 });
    const log = open();
    for (const each of lines(0, 35)) {
      log.write(each);
      // Some come together and some alone.
      if (Math.random() < 0.5) await pause(1);
    }
    await log.close();
    expect((await readdir(folder)).sort()).toEqual([
      'toolyard.1.log',
      'toolyard.2.log',
      'toolyard.3.log',
      'toolyard.log',
    ]);
    expect(await readAll()).toBe(lines(0, 35).join(''));
    const again = open();
    for (const each of lines(35, 1_000)) again.write(each);
    await again.close();
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
    );
    expect([sizes.length, Math.max(...sizes) <= 100]).toEqual([4, true]);
    expect(
      lines(0, 1_000)
        .join('')
        .endsWith(await readAll()),
    ).toBe(true);
  });

  it('loses nothing when it was killed in the middle of a turn-over', async () => {
    const { folder, open, readAll } = await openFolder({ maxBytes: 100, files: 4 });
    const log = open();
    for (const each of lines(0, 30)) log.write(each);
    await log.close();
    await rename(join(folder, 'toolyard.2.log'), join(folder, 'toolyard.3.log'));
    const again = open();
    for (const each of lines(30, 35)) again.write(each);
    await again.close();
    expect(await readAll()).toBe(lines(0, 35).join(''));
  });

  it('takes away what is left of a larger number of files', async () => {
    const { folder, open } = await openFolder({ maxBytes: 100, files: 2 });
    await mkdir(folder);
    for (const name of ['toolyard.7.log', 'server.log', 'toolyard.x.log'])
      await writeFile(join(folder, name), 'x');
    const log = open();
    for (const each of lines(0, 15)) log.write(each);
    await log.close();
    expect((await readdir(folder)).sort()).toEqual([
      'server.log',
      'toolyard.1.log',
      'toolyard.log',
      'toolyard.x.log',
    ]);
  });

  it('begins a new line after one that a kill has cut off', async () => {
    const { folder, open, read } = await openFolder();
    await mkdir(folder);
    await appendFile(join(folder, 'toolyard.log'), `${line(1)}{"time":"20`);
    const log = open();
    log.write(line(2));
    await log.close();
    expect(await read()).toBe(`${line(1)}{"time":"20\n${line(2)}`);
  });

  it('is made again when somebody took it away', async () => {
    const { folder, open, read } = await openFolder();
    const log = open();
    log.write(line(1));
    await pause(50);
    await rm(join(folder, 'toolyard.log'));
    log.write(line(2));
    await log.close();
    expect(await read()).toBe(line(2));
  });
});

/** A real disk that can be made to take `room` bytes and no more, or to wait. */
function createBadDisk(folder: string) {
  const real = createLogDisk(folder);
  const state = { room: Number.POSITIVE_INFINITY, gate: Promise.resolve() };
  const wrap = (open: OpenLog): OpenLog => ({
    ...open,
    async write(bytes) {
      await state.gate;
      if (state.room <= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const written = await open.write(bytes.subarray(0, state.room));
      state.room -= written;
      return written;
    },
  });
  const disk: LogDisk = { ...real, open: async (name) => wrap(await real.open(name)) };
  return { disk, state };
}

describe('a bad disk', () => {
  it('that is full takes whole lines, says so once, and later the rest with a count of what was dropped', async () => {
    const { folder, open, read } = await openFolder();
    const { disk, state } = createBadDisk(folder);
    const troubles: unknown[] = [];
    state.room = 25;
    const log = open({ disk, tryAgainMs: 5, pendingBytes: 100, onTrouble: (cause) => troubles.push(cause) });
    for (const each of lines(0, 50)) log.write(each);
    await pause(60);
    expect(await read()).toBe(lines(0, 2).join(''));
    state.room = Number.POSITIVE_INFINITY;
    await pause(60);
    log.write(line(50));
    await log.close();
    expect(await read()).toBe(`${lines(0, 10).join('')}dropped 40\n${line(50)}`);
    expect(troubles).toEqual([expect.objectContaining({ code: 'ENOSPC' })]);
  });

  it('that is slow holds nobody up and fills no memory', async () => {
    const { folder, open, read } = await openFolder();
    const { disk, state } = createBadDisk(folder);
    const slow = Promise.withResolvers<void>();
    state.gate = slow.promise;
    const log = open({ disk });
    const before = process.memoryUsage().rss;
    const started = processorMs();
    const long = `${'x'.repeat(9_999)}\n`;
    for (let count = 0; count < 20_000; count++) log.write(long);
    expect(processorMs() - started).toBeLessThan(2_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    slow.resolve();
    await log.close();
    const kept = Math.floor((1024 * 1024) / 10_000);
    expect(await read()).toBe(long.repeat(kept) + toDropNote(20_000 - kept));
  });

  it('that never answers does not keep the server from closing', async () => {
    const { folder, open } = await openFolder();
    const { disk, state } = createBadDisk(folder);
    state.gate = new Promise(() => {});
    const log = open({ disk });
    log.write(line(1));
    const started = performance.now();
    await log.close();
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('that refuses to turn over grows nothing without bound', async () => {
    const { folder, open, read } = await openFolder({ maxBytes: 100, files: 3 });
    const disk = { ...createLogDisk(folder), rename: () => Promise.reject(new Error('read-only')) };
    const log = open({ disk, tryAgainMs: 1, pendingBytes: 1_000 });
    for (const each of lines(0, 500)) log.write(each);
    await pause(30);
    await log.close();
    expect(await read()).toBe(lines(0, 10).join(''));
  });
});
