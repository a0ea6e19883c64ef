// The order of the test files: those that take longest first, so that no worker is left alone with one in the end. In a
// fresh clone, where nothing is known from an earlier run, the rest goes by size, and the longest are small.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './source/repository.ts';

/** About 20 s and more on a quiet machine, the longest first. */
export const longest: readonly string[] = [
  'packages/harness/test/crash/random-moments.test.ts',
  'packages/harness/test/crash/crash-points.test.ts',
  'packages/harness/test/engines/claude/conformance.test.ts',
  'packages/harness/test/docs/guides.test.ts',
  'packages/web/test/looks.test.ts',
  'packages/harness/test/crash/damaged-pages.test.ts',
  'packages/harness/test/engines/claude/deaths.test.ts',
  'packages/web/test/conversation.test.ts',
  'packages/web/test/mended-page.test.ts',
  'packages/harness/test/engines/claude/spare.test.ts',
  'packages/harness/test/engines/claude/hot.test.ts',
  'packages/web/test/bad-input.test.ts',
  'packages/web/test/approvals.test.ts',
  'packages/harness/test/crash/planted-bugs.test.ts',
  'packages/harness/test/crash/claude.test.ts',
  'packages/harness/test/hostile/reader-load.test.ts',
  'packages/harness/test/engines/claude/transcripts-cli.test.ts',
  'packages/web/test/back-office.test.ts',
  'packages/web/test/agents.test.ts',
  'packages/harness/test/crash/approvals.test.ts',
  'packages/harness/test/crash/agents.test.ts',
  'packages/harness/test/cli/run.test.ts',
  'packages/harness/test/cli/lists.test.ts',
  'packages/web/test/deletion.test.ts',
  'packages/web/test/tasks.test.ts',
  'packages/harness/test/acceptance/claude-fork.test.ts',
  'packages/harness/test/hostile/soak-turns.test.ts',
  'packages/harness/test/cli/claude.test.ts',
  'packages/harness/test/engines/native/long-conversation.test.ts',
  'packages/harness/test/engines/claude/cost.test.ts',
  'packages/harness/test/acceptance/claude-resume.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return toLongestFirst(await super.sort(files), ({ moduleId }) => relative(root, moduleId));
  }
}

/** The others stay in their order. */
export function toLongestFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rank = (file: File) => {
    const found = longest.indexOf(pathOf(file));
    return found < 0 ? longest.length : found;
  };
  return files.toSorted((one, other) => rank(one) - rank(other));
}
