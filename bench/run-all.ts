// Runs benchmarks one after the other. One that breaks says why in its place, and the others are measured all the same.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark, Findings } from './benchmark.ts';

export interface RunAllOptions {
  rounds: number;
  /** Each has a folder of its own in it. */
  root: string;
  onBegin(title: string): void;
}

/** `broken`: how many could not be measured. */
export async function runAll(
  chosen: readonly Benchmark[],
  { rounds, root, onBegin }: RunAllOptions,
): Promise<Findings & { broken: number }> {
  const all = { rows: [], notes: [], broken: 0 } as Findings & { broken: number };
  for (const { name, title, run } of chosen) {
    onBegin(title);
    const folder = join(root, name);
    await mkdir(folder);
    try {
      const { rows, notes } = await run({ rounds, folder });
      all.rows.push(...rows);
      all.notes.push(...notes);
    } catch (thrown) {
      all.broken += 1;
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      all.rows.push({ work: title, ours: `not measured: ${why}`, numbers: {} });
    }
  }
  return all;
}
