// Kill -9 at every step of a restore: the next start finds the old home or the new one, whole, and the old one is kept.
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { restoreHome } from '../../src/app/backup.ts';
import { lookAt, makeBackup, makeHome, readTree, toLook } from '../app/homes.ts';
import { bundled } from '../support/bundled.ts';
import { openTestYard, temporaryDirectory } from '../support/yard.ts';

const folder = await mkdtemp(join(tmpdir(), 'toolyard-test-'));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
const apple = await makeBackup('apple', join(folder, 'apple'));
const pear = await makeHome('pear', join(folder, 'pear'));

const program = await bundled(join(import.meta.dirname, 'restore-program.ts'));

function run(home: string, point = '', times = 1) {
  const words = ['--conditions=toolyard-source', program, apple, home, point, String(times)];
  return spawnSync(process.execPath, words, { encoding: 'utf8' });
}

async function copyPear(): Promise<string> {
  const home = join(await temporaryDirectory(), 'home');
  await cp(pear, home, { recursive: true });
  return home;
}

async function leftoversIn(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => name.startsWith('.restoring-') || name === 'restore.json');
}

/** How often a restore over a home like this reaches each point. */
const reached: Record<string, number> = JSON.parse(run(await copyFirst()).stdout);

async function copyFirst(): Promise<string> {
  const home = join(folder, 'first');
  await cp(pear, home, { recursive: true });
  return home;
}

const moves = reached['restore.moved'] ?? 0;

/** The next start finds the new home, with the old one beside it. */
async function expectCompleted(home: string): Promise<void> {
  const yard = await openTestYard({ home });
  expect([await lookAt(yard), await leftoversIn(home)]).toEqual([toLook('apple'), []]);
  await yard.close();
  const aside = (await readdir(home)).filter((name) => name.startsWith('before-restore-'));
  expect(aside).toHaveLength(1);
  expect(await lookAt(await openTestYard({ home: join(home, aside[0] ?? '') }))).toEqual(toLook('pear'));
}

describe('a restore that is killed', () => {
  it('reaches what the cases below are about', () => {
    expect(reached).toEqual({
      'restore.unpacked': 1,
      'restore.decided': 1,
      'restore.moved': expect.any(Number),
    });
    expect(moves).toBeGreaterThan(6);
  });

  it('before it is decided leaves the old home, byte for byte but for the lease', async () => {
    const home = await copyPear();
    const before = await readTree(home);
    expect(run(home, 'restore.unpacked').signal).toBe('SIGKILL');
    const after = await readTree(home);
    const changed = Object.keys(before).filter((path) => before[path] !== after[path]);
    expect(changed).toEqual([join(home, 'toolyard.db')]);
    expect(await lookAt(await openTestYard({ home }))).toEqual(toLook('pear'));
  });

  it.each([
    ['restore.decided', 1],
    ['restore.moved', 1],
    ['restore.moved', moves],
  ])('at %s, time %i, is completed by the next start', async (point, times) => {
    const home = await copyPear();
    expect(run(home, point, times).signal).toBe('SIGKILL');
    await expectCompleted(home);
  });

  // To throw there leaves on disk what a kill does, and takes no process.
  it.each(Array.from({ length: moves }, (_, index) => index + 1))(
    'after move %i is completed by the next start',
    async (move) => {
      const home = await copyPear();
      let moved = 0;
      const onCrashPoint = (point: string) => {
        moved += point === 'restore.moved' ? 1 : 0;
        if (moved === move) throw new Error('cut off');
      };
      await expect(restoreHome({ file: apple, home, force: true }, { onCrashPoint })).rejects.toThrow(
        'cut off',
      );
      await expectCompleted(home);
    },
  );

  it.each(['restore.unpacked', 'restore.decided'])('at %s gives way to the next restore', async (point) => {
    const home = await copyPear();
    expect(run(home, point).signal).toBe('SIGKILL');
    await restoreHome({ file: apple, home, force: true });
    expect([await lookAt(await openTestYard({ home })), await leftoversIn(home)]).toEqual([
      toLook('apple'),
      [],
    ]);
  });
});
