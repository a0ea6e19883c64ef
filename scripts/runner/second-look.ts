// Runs the test files that failed once more, one after another, on a machine that has nothing else to do. A fault fails
// twice. What fails once is named as unsteady, and is a fault of the test or of the product that waits to be found.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../source/repository.ts';
import { formatCounts, recordIn, type TestRecord } from './summary-reporter.ts';

/** More than these is no accident. */
const atMost = 2;

function readRecord(): TestRecord | undefined {
  try {
    return JSON.parse(readFileSync(process.env[recordIn] ?? '', 'utf8'));
  } catch {
    return undefined; // The run broke before its end.
  }
}

const first = readRecord();
if (!first || first.failedFiles.length === 0 || first.failedFiles.length > atMost) process.exit(1);

const names = first.failedFiles.map((file) => relative(root, file)).join(', ');
console.log(`\nOnce more, alone: ${names}`);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const args = ['run', '--maxWorkers=1', ...first.failedFiles, ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(1);

console.log(`UNSTEADY, failed once and passed alone; to be mended with the next change: ${names}`);
const { passed, failed, skipped } = first.counts;
console.log(formatCounts({ passed: passed + failed, failed: 0, skipped }));
