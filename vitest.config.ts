import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { SummaryReporter } from './scripts/runner/summary-reporter.ts';
import { TestOrder } from './scripts/runner/test-order.ts';

// Compiled code is shared by the workers and by every process that they start.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('packages/harness/.cache', import.meta.url));

/** The ring is in the file's name: `x.test.ts` is pure, `x.app.test.ts` and `x.real.test.ts` are not. */
const folders = ['packages/*/test/**', 'scripts/test/**'];
const inFolders = (files: string) => folders.map((folder) => `${folder}/${files}`);

const pure: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'pure',
    include: inFolders('*.test.ts'),
    exclude: inFolders('*.{app,real}.test.ts'),
    isolate: false,
    sequence: { shuffle: true },
  },
};

const app: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'app', include: inFolders('*.app.test.ts'), isolate: false, sequence: { shuffle: true } },
};

const real: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'real',
    include: inFolders('*.real.test.ts'),
    isolate: false,
    globalSetup: 'scripts/runner/real-setup.ts',
    sequence: { groupOrder: 1 },
  },
};

export default defineConfig({
  ssr: {
    resolve: { conditions: ['toolyard-source', 'node'], externalConditions: ['toolyard-source', 'node'] },
  },
  resolve: { conditions: ['toolyard-source', 'node'] },
  test: {
    projects: [pure, app, real],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Short on an idle machine; a busy one still gets there.
    expect: { poll: { timeout: 15_000, interval: 20 } },
    pool: 'forks',
    // Most tests wait for other processes part of the time, so one worker more than a small machine has cores.
    maxWorkers: 3,
    sequence: { sequencer: TestOrder },
    reporters: ['default', new SummaryReporter()],
  },
});
