import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longLoops, pickLoop } from '../runner/long-loops.ts';
import { root } from '../source/repository.ts';

const dayMs = 24 * 3_600_000;
const switchFile = 'packages/harness/test/support/soak.ts';
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const tested = globSync('packages/*/test/**/*.ts', { cwd: root }).sort();

test('the files that have a long form are those that are listed', () => {
  const asking = tested.filter((path) => /from '[^']*\/support\/soak\.ts'/.test(read(path)));
  expect(longLoops.map(({ file }) => file).sort()).toEqual(asking);
});

test('one file reads the switch', () => {
  expect(tested.filter((path) => read(path).includes('env.TOOLYARD_SOAK'))).toEqual([switchFile]);
});

test('each full form fits into a run of continuous integration', () => {
  expect(longLoops.filter(({ minutes }) => minutes > 8)).toEqual([]);
});

test('each has its day, one after the other and then from the start', () => {
  const start = Date.UTC(2026, 10, 16, 23, 59);
  const picked = longLoops.map((_, day) => pickLoop(start + day * dayMs).file);
  expect(new Set(picked).size).toBe(longLoops.length);
  expect(pickLoop(start + longLoops.length * dayMs).file).toBe(picked[0]);
  expect(pickLoop(start - 23 * 3_600_000).file).toBe(picked[0]);
});
