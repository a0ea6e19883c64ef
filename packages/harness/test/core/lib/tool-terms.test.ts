import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toToolTerms } from '../../../src/core/lib/tool-terms.ts';

test('a command becomes the tool that does the same', () => {
  expect(toToolTerms('There is no task x. List them with `toolyard tasks list`.')).toBe(
    'There is no task x. List them with list_tasks.',
  );
});

test('no sentence of a failure, whichever it is, leaves a command for a model', () => {
  const sources = globSync('packages/harness/src/{core,engines,sandbox}/**/*.ts');
  const named = sources.flatMap((path) => readFileSync(path, 'utf8').match(/\\?`toolyard [^`]*`/g) ?? []);
  expect(named.length).toBeGreaterThan(5);
  for (const command of named) expect(toToolTerms(command.replaceAll('\\', ''))).not.toContain('toolyard ');
});
