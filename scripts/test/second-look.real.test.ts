// Runs the real test runner and then the second look on planted files, as `.ci/run` does.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordIn } from '../runner/summary-reporter.ts';
import { root } from '../source/repository.ts';

const passes = "test('a', () => {});";
const fails = "test('a', () => {}); test('b', () => expect(1).toBe(2));";
const failsOnce = `
  import { existsSync, writeFileSync } from 'node:fs';
  const mark = import.meta.filename + '.seen';
  test('a', () => {
    const isFirst = !existsSync(mark);
    writeFileSync(mark, '');
    expect(isFirst).toBe(false);
  });`;
const throwsAside =
  "test('a', () => { setTimeout(() => { throw new Error('aside'); }); return new Promise((go) => setTimeout(go, 50)); });";

async function look(files: string[]): Promise<{ code: number | null; lines: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-again-'));
  try {
    const tests = join(folder, 'scripts/test');
    await mkdir(tests, { recursive: true });
    for (const [index, text] of files.entries()) await writeFile(join(tests, `p${index}.test.ts`), text);
    const how = ['--globals', `--root=${folder}`, `--config=${join(root, 'vitest.config.ts')}`];
    const env = { ...process.env, [recordIn]: join(folder, 'record.json') };
    spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...how], { env });
    const script = ['--conditions=toolyard-source', join(root, 'scripts/runner/second-look.ts'), ...how];
    const { status, stdout } = spawnSync(process.execPath, script, { env, encoding: 'utf8' });
    return { code: status, lines: stdout.trimEnd().split('\n').slice(-2) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('what fails once is named, and the last line counts the whole run', async () => {
  const { code, lines } = await look([passes, failsOnce]);
  expect([code, lines[1]]).toEqual([0, '2 passed, 0 failed']);
  expect(lines[0]).toMatch(/^UNSTEADY.*p1\.test\.ts$/);
});

test.each([
  ['a fault', [passes, fails], '1 passed, 1 failed'],
  ['a fault beside an unsteady test', [fails, failsOnce], '2 passed, 1 failed'],
  ['more files than an accident has', [failsOnce, failsOnce, failsOnce], ''],
  ['an error outside the tests', [throwsAside], ''],
])('%s fails the run', async (_, files, lastLine) => {
  const { code, lines } = await look(files);
  expect([code, lines.at(-1)]).toEqual([1, lastLine]);
});
