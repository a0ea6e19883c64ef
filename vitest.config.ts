import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { CountReporter } from './scripts/count-reporter.ts';
import { LongestFirst } from './scripts/longest-first.ts';

// What V8 compiled, for the workers and for every process that they start: hundreds, each with the same sources.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('packages/harness/.cache', import.meta.url));

export default defineConfig({
  ssr: {
    resolve: { conditions: ['toolyard-source', 'node'], externalConditions: ['toolyard-source', 'node'] },
  },
  resolve: { conditions: ['toolyard-source', 'node'] },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for comes at once on a quiet machine, and comes on a busy one.
    expect: { poll: { timeout: 15_000, interval: 20 } },
    pool: 'forks',
    // Most of them wait for processes: as many workers as cores would leave a small machine idle.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new CountReporter()],
  },
});
