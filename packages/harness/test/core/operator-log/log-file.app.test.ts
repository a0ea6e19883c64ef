// The operator's log on disk: bounded, whole lines, nothing lost at the turn-over, nothing held for a disk that is slow.
import { appendFile, chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { createLogDisk } from '../../../src/core/operator-log/log-disk.ts';
import { createBadDisk, line, lines, openFolder } from './log-folder.ts';

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
    const { folder, open, read, readAll } = await openFolder({ maxBytes: 100, files: 4 });
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
    // To close waits a second at most.
    await expect.poll(() => read().catch(() => '')).toContain(line(999));
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
    await expect.poll(() => read().catch(() => '')).toBe(line(1));
    await rm(join(folder, 'toolyard.log'));
    log.write(line(2));
    await log.close();
    expect(await read()).toBe(line(2));
  });
});

describe('a bad disk', () => {
  it('that is full takes whole lines, says so once, and later the rest with a count of what was dropped', async () => {
    const { folder, open, read } = await openFolder();
    const { disk, state } = createBadDisk(folder);
    const troubles: unknown[] = [];
    state.room = 25;
    const log = open({ disk, retryDelayMs: 5, pendingBytes: 100, onError: (cause) => troubles.push(cause) });
    for (const each of lines(0, 50)) log.write(each);
    await expect.poll(() => troubles).toHaveLength(1);
    await expect.poll(() => read()).toBe(lines(0, 2).join(''));
    const tries = state.tries;
    await expect.poll(() => state.tries).toBeGreaterThan(tries);
    state.room = Number.POSITIVE_INFINITY;
    await expect.poll(() => read()).toContain(lines(0, 10).join(''));
    log.write(line(50));
    await log.close();
    expect(await read()).toBe(`${lines(0, 10).join('')}dropped 40\n${line(50)}`);
    expect(troubles).toEqual([expect.objectContaining({ code: 'ENOSPC' })]);
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
    let tries = 0;
    const rename = () => {
      tries += 1;
      return Promise.reject(new Error('read-only'));
    };
    const disk = { ...createLogDisk(folder), rename };
    const log = open({ disk, retryDelayMs: 1, pendingBytes: 1_000 });
    for (const each of lines(0, 500)) log.write(each);
    await expect.poll(() => tries).toBeGreaterThan(5);
    await log.close();
    expect(await read()).toBe(lines(0, 10).join(''));
  });
});
