// Ends every test run with one plain line of counts. A run in which nothing passed is a failed run.
import type { Reporter, TestModule } from 'vitest/node';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = countTests(modules);
    counts.failed += unhandledErrors.length;
    if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
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
