// Ends every test run with its slowest files and one plain line of counts. A run in which nothing passed has failed.
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { root } from '../source/repository.ts';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const maxSlowest = 10;

export class SummaryReporter implements Reporter {
  #seed = 0;

  onInit(vitest: Vitest): void {
    this.#seed = vitest.config.sequence.seed;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = countTests(modules);
    counts.failed += unhandledErrors.length;
    if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
    if (counts.failed > 0) console.log(`To repeat this order: npm test -- --sequence.seed=${this.#seed}`);
    console.log(formatSlowest(modules));
    console.log(formatCounts(counts));
  }
}

function formatCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function formatSlowest(modules: readonly TestModule[]): string {
  const rows = modules
    .map((module) => ({ module, ms: toMs(module) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, maxSlowest)
    .map(({ module, ms }) => {
      const seconds = (ms / 1000).toFixed(1).padStart(6);
      return `${seconds} s  ${module.project.name.padEnd(4)}  ${relative(root, module.moduleId)}`;
    });
  return ['Slowest files:', ...rows].join('\n');
}

/** The tests of a file, its hooks and the loading of what it imports. */
function toMs(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return collectDuration + setupDuration + duration;
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
