// What it costs to confine a command: `true` in the shell that Claude's Bash runs, beside the same in a plain shell.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openSandbox } from '../packages/harness/src/sandbox/sandbox.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave, timed } from './interleave.ts';
import { toSpread } from './samples.ts';

const maxAddedMs = 20;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const execute = promisify(execFile);

export const confinement: Benchmark = {
  name: 'confinement',
  title: 'a confined `true`',
  async run({ rounds, folder }) {
    const [home, work] = [join(folder, 'home'), join(folder, 'work')];
    for (const each of [home, work]) await mkdir(each);
    await execute('git', ['init', '-q'], { cwd: work });
    const sandbox = await openSandbox({ home, env: process.env, logger: quiet });
    const shell = await sandbox.openShell();
    if (!shell) throw new Error('this needs bubblewrap');
    try {
      await shell.allow('bench', { roots: [work], hosts: [] });
      shell.begin();
      const run = (file: string) => ({
        run: () => timed(() => execute(file, ['-c', 'true'], { cwd: work })),
      });
      const arms = { confined: run(join(shell.bin, 'bash')), plain: run('/bin/bash') };
      const { confined, plain } = await interleave(arms, { rounds, perRound: 5, warmUp: 3 });
      const addedMs = confined.median - plain.median;
      return {
        rows: [
          {
            work: 'a confined `true`',
            ours: toSpread(confined),
            peer: `plain spawn ${toSpread(plain)}`,
            ratio: confined.median / plain.median,
            target: `< ${maxAddedMs} ms added`,
            met: addedMs < maxAddedMs,
            numbers: { confinedMs: confined.median, plainMs: plain.median, addedMs },
          },
        ],
        notes: [],
      };
    } finally {
      await shell.close();
      await sandbox.close();
    }
  },
};
