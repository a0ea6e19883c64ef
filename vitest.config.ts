import { defineConfig } from 'vitest/config';
import { CountReporter } from './scripts/count-reporter.ts';

export default defineConfig({
  ssr: {
    resolve: { conditions: ['toolyard-source', 'node'], externalConditions: ['toolyard-source', 'node'] },
  },
  resolve: { conditions: ['toolyard-source', 'node'] },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Most of them wait for processes: one worker on a machine with two cores would leave it idle.
    maxWorkers: 2,
    reporters: ['default', new CountReporter()],
  },
});
