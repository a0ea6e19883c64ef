// The official conformance suites against the fixture. What they expect to fail stands in a file beside this one, which
// may only shrink: the runner fails on a scenario that is listed and passes, and on one that fails and is not listed.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/yard.ts';
import { serveFixture } from './fixture.ts';

const suites = [
  {
    revision: '2025-11-25',
    runner: '@modelcontextprotocol/conformance',
    selection: ['--suite', 'all'],
    baseline: 'expected-failures-2025-11-25.yaml',
    most: 22,
  },
  {
    revision: '2026-07-28',
    runner: '@modelcontextprotocol/conformance-next',
    selection: ['--requirements', '2026-07-28'],
    baseline: 'expected-failures-2026-07-28.yaml',
    most: 29,
  },
];

interface Run {
  code: number | null;
  printed: string;
}

async function run(args: string[]): Promise<Run> {
  const child = spawn(process.execPath, args, { cwd: await temporaryDirectory(), stdio: 'pipe' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, printed };
}

it.each(suites)('passes the official suite for $revision but for what is expected', async (suite) => {
  const manifest = createRequire(import.meta.url).resolve(`${suite.runner}/package.json`);
  const baseline = join(import.meta.dirname, suite.baseline);
  const { code, printed } = await run([
    join(dirname(manifest), 'dist/index.js'),
    ...['server', '--url', await serveFixture(), ...suite.selection, '--expected-failures', baseline],
  ]);
  expect(code, printed).toBe(0);
  expect((await readFile(baseline, 'utf8')).match(/^ {2}- /gm)?.length).toBeLessThanOrEqual(suite.most);
  // It did run, and some of it passed.
  expect(printed).toMatch(/✓ tools-call-simple-text/);
});
