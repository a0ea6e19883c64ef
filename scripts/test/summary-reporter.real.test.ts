// Runs the real test runner on planted files and reads its last line and exit code.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../source/repository.ts';

async function runTests(text: string | undefined): Promise<{ code: number; lastLine: string | undefined }> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-count-'));
  try {
    const tests = join(folder, 'scripts/test');
    await mkdir(tests, { recursive: true });
    if (text !== undefined) await writeFile(join(tests, 'planted.test.ts'), text);
    const config = join(root, 'vitest.config.ts');
    return await runVitest(['run', '--globals', `--root=${folder}`, `--config=${config}`]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function runVitest(args: string[]): Promise<{ code: number; lastLine: string | undefined }> {
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], (_, stdout) => {
      resolve({ code: child.exitCode ?? -1, lastLine: stdout.trimEnd().split('\n').at(-1) });
    });
  });
}

test.concurrent.each([
  ['passing tests', "test('a', () => {}); test.skip('b', () => {});", 0, '1 passed, 0 failed, 1 skipped'],
  ['a failing test', "test('a', () => {}); test('b', () => expect(1).toBe(2));", 1, '1 passed, 1 failed'],
  ['a file that does not load', "throw new Error('planted');", 1, '0 passed, 1 failed'],
  ['only skipped tests', "test.skip('a', () => {});", 1, '0 passed, 0 failed, 1 skipped'],
  ['no tests at all', undefined, 1, '0 passed, 0 failed'],
])('a run with %s ends in its counts and its exit code', async (_, text, code, lastLine) => {
  expect(await runTests(text)).toEqual({ code, lastLine });
});
