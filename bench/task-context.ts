// The hand-over of a task with ten, a hundred … ten thousand dispatches: it should take the same time for all.
import { join } from 'node:path';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { openYard } from '../packages/harness/src/app.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { fillTask } from './fill-task.ts';
import { timed } from './interleave.ts';
import { type Summary, summarize, toSpread } from './samples.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const sizes = [10, 100, 1_000, 10_000];

export const taskContext: Benchmark = {
  name: 'task-context',
  title: `get_task_context at ${sizes.join(', ')} dispatches`,
  async run({ rounds, folder }) {
    const home = join(folder, 'home');
    await fillTask(home, sizes);
    const engine = createScriptedEngine();
    const yard = await openYard({ home, workspace: folder, env: {}, logger: quiet, engine });
    try {
      const client = yard.client();
      const samples = new Map<number, number[]>(sizes.map((size) => [size, []]));
      for (let round = 0; round < rounds * 2; round++)
        for (const size of sizes)
          samples.get(size)?.push(await timed(() => client.tasks.context(`of-${size}`)));
      return { rows: toRows(sizes.map((size) => [size, summarize(samples.get(size) ?? [])])), notes: [] };
    } finally {
      await yard.close();
    }
  },
};

function toRows(found: [number, Summary][]): Row[] {
  const smallest = found[0]?.[1];
  return found.map(([size, summary]) => ({
    work: `get_task_context, ${size.toLocaleString('en-US')} dispatches`,
    ours: toSpread(summary),
    ...(smallest &&
      size !== sizes[0] && {
        peer: `${sizes[0]} dispatches ${toSpread(smallest)}`,
        ratio: summary.median / smallest.median,
      }),
    numbers: { median: summary.median, p99: summary.p99 },
  }));
}
