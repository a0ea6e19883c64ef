// An agent's process swaps a folder for a link, and back, as fast as it can, while the server removes, reads and writes
// there. Short by default; TOOLYARD_SOAK=full takes 20,000 rounds.
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder, openRegularFileBelow } from '../../src/untrusted-files/untrusted-files.ts';
import { isFullSoak } from '../support/soak.ts';
import { makeFolder } from '../support/workspace.ts';

const rounds = isFullSoak ? 20_000 : 50;

/** Swaps `<root>/a` and `<root>/b` until the test is over. */
function startSwapping(root: string): void {
  const program = `
    const { renameSync } = require('node:fs');
    const { workerData: root } = require('node:worker_threads');
    for (;;) {
      for (const [from, to] of [['a', 'c'], ['b', 'a'], ['c', 'b']]) {
        try { renameSync(root + '/' + from, root + '/' + to); } catch {}
      }
    }`;
  const worker = new Worker(program, { eval: true, workerData: root });
  onTestFinished(async () => void (await worker.terminate()));
}

test(`F4: ${rounds} rounds of removing a tree in which a folder is swapped for a link lose nothing behind it`, {
  timeout: 900_000,
}, async () => {
  const canary = makeFolder({ 'one.txt': '1', 'two/three.txt': '3' });
  const root = makeFolder();
  mkdirSync(join(root, 'tree'));
  startSwapping(join(root, 'tree'));
  await using folder = await openFolder(root);
  let completed = 0;
  for (let round = 0; round < rounds; round++) {
    fill(join(root, 'tree'), canary);
    await folder.removeTree('tree').then(
      () => completed++,
      (thrown) => expect(thrown).toMatchObject({ code: 'EBUSY' }),
    );
    expect([readdirSync(canary), readdirSync(join(canary, 'two'))]).toEqual([
      ['one.txt', 'two'],
      ['three.txt'],
    ]);
  }
  // How many are given up depends on how fast the other is.
  expect(completed).toBeGreaterThan(0);
});

/** Made aside: what is written by name into the tree itself may go through the link. What is left of the last one stays. */
function fill(tree: string, canary: string): void {
  const made = `${tree}-made`;
  mkdirSync(join(made, 'a/two'), { recursive: true });
  writeFileSync(join(made, 'a/own.txt'), '');
  symlinkSync(canary, join(made, 'b'));
  try {
    renameSync(made, tree);
  } catch {
    rmSync(made, { recursive: true });
  }
}

test(`F4: ${rounds} rounds of reading and writing below it reach nothing behind the link`, {
  timeout: 900_000,
}, async () => {
  const canary = makeFolder({ 'file.txt': 'private' });
  const root = makeFolder({ 'a/file.txt': 'own' });
  symlinkSync(canary, join(root, 'b'));
  startSwapping(root);
  let read = 0;
  for (let round = 0; round < rounds; round++) {
    const text = await readBelow(root).catch(() => undefined);
    expect(text ?? 'own').toBe('own');
    if (text) read++;
    await writeBelow(root).catch(() => {});
  }
  expect(readdirSync(canary)).toEqual(['file.txt']);
  expect(read).toBeGreaterThan(0);
});

async function readBelow(root: string): Promise<string> {
  await using file = await openRegularFileBelow(root, 'a/file.txt');
  return await file.readFile('utf8');
}

async function writeBelow(root: string): Promise<void> {
  await using folder = await openFolder(join(root, 'a'));
  await folder.writeText('new.txt', 'new');
}
