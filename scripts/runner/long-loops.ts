// The test files that are short by default and long with TOOLYARD_SOAK=full. As a program it runs one of them in full,
// another one each day, so that continuous integration gets through all of them without running them all at once.
import { spawnSync } from 'node:child_process';
import { root } from '../source/repository.ts';

export interface LongLoop {
  file: string;
  /** How long the full form takes, about, on two cores. */
  minutes: number;
}

export const longLoops: readonly LongLoop[] = [
  { file: 'packages/harness/test/app/backup.app.test.ts', minutes: 1 },
  { file: 'packages/harness/test/core/agents/interrupts.app.test.ts', minutes: 1 },
  { file: 'packages/harness/test/core/approvals/approvals.app.test.ts', minutes: 1 },
  { file: 'packages/harness/test/core/backup/unpack.app.test.ts', minutes: 1 },
  { file: 'packages/harness/test/crash/agents.real.test.ts', minutes: 1 },
  { file: 'packages/harness/test/crash/approvals.real.test.ts', minutes: 1 },
  { file: 'packages/harness/test/crash/crash-points.real.test.ts', minutes: 2 },
  { file: 'packages/harness/test/crash/damaged-pages.real.test.ts', minutes: 2 },
  { file: 'packages/harness/test/crash/random-moments.real.test.ts', minutes: 2 },
  { file: 'packages/harness/test/engines/claude/soak.real.test.ts', minutes: 5 },
  { file: 'packages/harness/test/engines/native/long-conversation.app.test.ts', minutes: 1 },
  { file: 'packages/harness/test/hostile/reader-load.real.test.ts', minutes: 3 },
  { file: 'packages/harness/test/hostile/soak-turns.real.test.ts', minutes: 6 },
  { file: 'packages/harness/test/http/streams/client-socket.app.test.ts', minutes: 1 },
  { file: 'packages/harness/test/rehearsal/serve.app.test.ts', minutes: 1 },
  { file: 'packages/harness/test/untrusted-files/swap-race.app.test.ts', minutes: 2 },
];

const dayMs = 24 * 3_600_000;

/** The one whose turn it is on the day of this time. */
export function pickLoop(now: number, loops: readonly LongLoop[] = longLoops): LongLoop {
  const picked = loops[Math.floor(now / dayMs) % loops.length];
  if (!picked) throw new Error('There is no long loop to pick.');
  return picked;
}

if (import.meta.main) {
  const { file, minutes } = pickLoop(Date.now());
  console.log(`Today's long loop, about ${minutes} min: TOOLYARD_SOAK=full npm test -- ${file}`);
  const env = { ...process.env, TOOLYARD_SOAK: 'full' };
  const { status } = spawnSync('npm', ['test', '--silent', '--', file], { cwd: root, env, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
