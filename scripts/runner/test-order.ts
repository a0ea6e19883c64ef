// The order of the test files. Those of a ring that is shuffled come in any order, so that none can come to rely on what
// another left behind. The others run longest first, so that no worker is left alone with a long one at the end.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from '../source/repository.ts';

/** The longest on a quiet machine, the longest first. A fresh clone has no record of earlier runs to go by. */
export const slowestFiles: readonly string[] = [
  'packages/harness/test/docs/guides.real.test.ts',
  'packages/harness/test/crash/claude.real.test.ts',
  'packages/harness/test/cli/claude.real.test.ts',
  'packages/harness/test/acceptance/claude-resume.real.test.ts',
  'packages/harness/test/engines/claude/soak.real.test.ts',
  'packages/harness/test/engines/claude/process/deaths.real.test.ts',
  'packages/harness/test/engines/claude/process/spare.real.test.ts',
  'packages/harness/test/packed/packed.real.test.ts',
  'packages/web/test/looks.real.test.ts',
  'packages/harness/test/acceptance/claude-fork.real.test.ts',
  'packages/harness/test/engines/claude/transcripts/transcripts-cli.real.test.ts',
  'packages/harness/test/cli/run/run.real.test.ts',
  'packages/web/test/screens/conversation/conversation.real.test.ts',
  'packages/harness/test/core/worktrees/worktrees.real.test.ts',
  'packages/harness/test/crash/claude-questions.real.test.ts',
  'packages/web/test/approvals/approvals.real.test.ts',
  'packages/harness/test/core/worktrees/worktree-repositories.real.test.ts',
  'packages/harness/test/engines/claude/conformance.real.test.ts',
  'packages/harness/test/engines/claude/process/hot-pool.real.test.ts',
  'packages/harness/test/crash/crash-points.real.test.ts',
  'packages/web/test/bad-input.real.test.ts',
  'packages/harness/test/acceptance/claude-odd-cli.real.test.ts',
  'packages/harness/test/sandbox/pipes.real.test.ts',
  'packages/web/test/screens/agents/agents.real.test.ts',
  'packages/harness/test/crash/agents.real.test.ts',
  'packages/web/test/outbox/kept-words.real.test.ts',
  'packages/harness/test/agents/limits-engines.real.test.ts',
  'packages/harness/test/hostile/http-load.real.test.ts',
  'packages/web/test/mended-page.real.test.ts',
  'packages/harness/test/gate/claude-questions.real.test.ts',
  'packages/harness/test/cli/decision-prompts/prompt.real.test.ts',
  'packages/web/test/session-list/sessions.real.test.ts',
  'packages/web/test/screens/tasks/tasks.real.test.ts',
  'packages/harness/test/agents/flow-engines.real.test.ts',
  'packages/harness/test/crash/agent-trees.real.test.ts',
  'packages/harness/test/crash/agent-money.real.test.ts',
  'packages/harness/test/acceptance/claude-changes.real.test.ts',
  'packages/harness/test/hostile/soak-turns.real.test.ts',
  'packages/web/test/decision-cards/kept-answers.real.test.ts',
  'packages/harness/test/cli/server/serve.real.test.ts',
  'packages/web/test/nothing-lost.real.test.ts',
  'packages/harness/test/acceptance/claude-faults.real.test.ts',
  'packages/harness/test/sandbox/kill.real.test.ts',
  'packages/web/test/back-office.real.test.ts',
  'packages/harness/test/crash/damaged-pages.real.test.ts',
  'packages/harness/test/crash/sessions.real.test.ts',
  'packages/harness/test/core/worktrees/worktree-hostile.real.test.ts',
];

export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isShuffled = ({ project }: TestSpecification) => Boolean(project.config.sequence.shuffle);
    const shuffled = shuffle(sorted.filter(isShuffled), this.ctx.config.sequence.seed);
    const others = sorted.filter((file) => !isShuffled(file));
    return [
      // One ring after the other: a worker cannot be shared between two.
      ...shuffled.sort((one, other) => one.project.name.localeCompare(other.project.name)),
      ...toLongestFirst(others, ({ moduleId }) => relative(root, moduleId)),
    ];
  }
}

/** Files that are not listed stay in their order. */
export function toLongestFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rank = (file: File) => {
    const found = slowestFiles.indexOf(pathOf(file));
    return found < 0 ? slowestFiles.length : found;
  };
  return files.toSorted((one, other) => rank(one) - rank(other));
}

/** The same order for the same seed. */
export function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const shuffled = [...items];
  let state = seed;
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    // A linear congruential generator: enough for an order, and it repeats.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other] as Item, shuffled[last] as Item];
  }
  return shuffled;
}
