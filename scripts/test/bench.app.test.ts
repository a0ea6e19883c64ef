import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { interleave } from '../../bench/interleave.ts';
import { toMarkdown } from '../../bench/report.ts';
import { runAll } from '../../bench/run-all.ts';
import { summarize } from '../../bench/samples.ts';
import { toolbox } from '../../bench/toolbox.ts';

test('the middle and the tail of samples are samples, whatever their order', () => {
  const samples = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(summarize(samples)).toEqual({ median: 100, p99: 198, count: 200 });
  expect(summarize([7])).toEqual({ median: 7, p99: 7, count: 1 });
});

test('arms take turns, each goes first in some round, and warm-up runs are not counted', async () => {
  const order: string[] = [];
  const arm = (name: string, ms: number) => ({
    run: async () => {
      order.push(name);
      return ms;
    },
  });
  const found = await interleave({ a: arm('a', 1), b: arm('b', 2) }, { rounds: 2, perRound: 2, warmUp: 1 });
  expect(order).toEqual(['a', 'b', 'a', 'a', 'b', 'b', 'b', 'b', 'a', 'a']);
  expect(found).toEqual({ a: { median: 1, p99: 1, count: 4 }, b: { median: 2, p99: 2, count: 4 } });
});

test('the table says what was missed and leaves out what was not compared', () => {
  const rows = [
    { work: 'a turn', ours: '4 ms', peer: 'bare 2 ms', ratio: 2, target: '≤ 1.3×', met: false, numbers: {} },
    { work: 'a start', ours: '300 ms', target: '< 500 ms', met: true, numbers: {} },
    { work: 'commits', ours: '3,000/s', numbers: {} },
  ];
  const machine = { cores: 2, memoryGb: 8, node: '24.0.0', platform: 'linux x64', load: 0.1 };
  expect(toMarkdown({ rows, notes: ['A note.'] }, machine)).toBe(
    [
      '2 cores, 8 GB, Node 24.0.0, linux x64.',
      '',
      '| work | ours | peer | ratio | target | met |',
      '|---|---|---|---|---|---|',
      '| a turn | 4 ms | bare 2 ms | 2.00× | ≤ 1.3× | **no** |',
      '| a start | 300 ms | — | — | < 500 ms | yes |',
      '| commits | 3,000/s | — | — | — | — |',
      '',
      '- A note.',
    ].join('\n'),
  );
  const busy = toMarkdown({ rows: [], notes: [] }, { ...machine, load: 3 });
  expect(busy).toContain('The machine was busy');
});

test('a call through the toolbox is measured, and one that breaks keeps no other from the table', async () => {
  const root = await mkdtemp(join(tmpdir(), 'toolyard-bench-test-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const run = () => Promise.reject(new Error('no disk'));
  const begun: string[] = [];
  const onBegin = (title: string) => void begun.push(title);
  const chosen = [{ name: 'breaks', title: 'what breaks', run }, toolbox];
  const { rows, broken } = await runAll(chosen, { rounds: 4, root, onBegin });
  const [first, ...measured] = rows;
  expect([broken, begun]).toEqual([1, ['what breaks', toolbox.title]]);
  expect(first).toEqual({ work: 'what breaks', ours: 'not measured: no disk', numbers: {} });
  const numbers = measured.flatMap((row) => Object.values(row.numbers));
  expect(measured).toHaveLength(2);
  expect(numbers.filter((number) => !(number > 0))).toEqual([]);
});
