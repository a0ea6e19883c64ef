import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { slowestFiles, toLongestFirst } from '../runner/test-order.ts';
import { root } from '../source/repository.ts';

test('every test file that is said to take long is there, and said once', () => {
  expect(slowestFiles.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(new Set(slowestFiles).size).toBe(slowestFiles.length);
});

test('the longest come first, the longest of all before the others, and the rest stays in its order', () => {
  const [first = '', second = ''] = slowestFiles;
  const files = ['z.test.ts', second, 'a.test.ts', first];
  expect(toLongestFirst(files, (path) => path)).toEqual([first, second, 'z.test.ts', 'a.test.ts']);
});
