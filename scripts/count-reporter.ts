// Ends every test run with one plain line of counts. A run in which nothing passed is a failed run.
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What a run leaves in the file that `recordIn` names, for the second look at what failed. */
export interface TestRecord {
  counts: Counts;
  failedFiles: string[];
}

export const recordIn = 'TOOLYARD_TEST_RECORD';

export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = countTests(modules);
    counts.failed += unhandledErrors.length;
    if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
    const record = process.env[recordIn];
    // An error outside all tests may not come again with one of the files: that run has failed for good.
    const failed = unhandledErrors.length > 0 ? [] : modules.filter((module) => !module.ok());
    const failedFiles = failed.map(({ moduleId }) => moduleId);
    if (record) writeFileSync(record, JSON.stringify({ counts, failedFiles } satisfies TestRecord));
    console.log(toLine(counts));
  }
}

export function toLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function countTests(modules: readonly TestModule[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const module of modules) {
    let failures = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') counts.passed += 1;
      else if (state === 'skipped') counts.skipped += 1;
      else failures += 1;
    }
    // A file or suite that broke outside its tests has failed although none of its tests says so.
    counts.failed += failures === 0 && !module.ok() ? 1 : failures;
  }
  return counts;
}
