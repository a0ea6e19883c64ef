// For `npm run test:live` alone: the tests that spend money.
import { defineConfig, mergeConfig } from 'vitest/config';
import { SummaryReporter } from './scripts/runner/summary-reporter.ts';
import base from './vitest.config.ts';

// Without the rings: their files are those of `npm test`.
const { projects: _, ...test } = base.test ?? {};

export default mergeConfig(
  { ...base, test },
  defineConfig({
    test: {
      include: ['packages/harness/test/live/*.live.ts'],
      testTimeout: 180_000,
      fileParallelism: false,
      reporters: ['verbose', new SummaryReporter()],
    },
  }),
);
