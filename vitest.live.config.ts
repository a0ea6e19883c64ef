// For `npm run test:live` alone: the tests that spend money.
import { defineConfig, mergeConfig } from 'vitest/config';
import { SummaryReporter } from './scripts/runner/summary-reporter.ts';
import base from './vitest.config.ts';

export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: ['packages/harness/test/live/*.live.ts'],
      testTimeout: 180_000,
      fileParallelism: false,
      reporters: ['verbose', new SummaryReporter()],
    },
  }),
);
