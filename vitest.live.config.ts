// For `npm run test:live` alone: the tests that spend money.
import { defineConfig, mergeConfig } from 'vitest/config';
import { CountReporter } from './scripts/count-reporter.ts';
import base from './vitest.config.ts';

export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: ['packages/harness/test/live/*.live.ts'],
      testTimeout: 180_000,
      fileParallelism: false,
      reporters: ['verbose', new CountReporter()],
    },
  }),
);
