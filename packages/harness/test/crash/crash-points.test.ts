// Kills the server at every named point between two steps that must both hold, and looks at what is left.
import { describe, expect, test } from 'vitest';
import { type CrashPoint, crashPoints } from '../../src/core/ports.ts';
import { findViolations } from './check-history.ts';
import { createCrashHome } from './crash-home.ts';

const occurrences = [1, 3, 7, 20];

async function killAt(point: CrashPoint, occurrence: number): Promise<void> {
  const yard = await createCrashHome({ seed: occurrence });
  const first = yard.spawn({ killAt: { point, occurrence } });
  const loaded = yard.load(await first.ready, 8, AbortSignal.timeout(20_000));
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await loaded;
  await yard.lookAtKill();

  const second = yard.spawn();
  const ready = await second.ready;
  await yard.settle();
  await yard.retryAll(ready);
  expect(findViolations(await yard.finish(second))).toEqual([]);
}

describe.each(crashPoints.filter((point) => point !== 'migration.written'))('killed at %s', (point) => {
  test.each(occurrences)('P1: nothing acknowledged is lost, at occurrence %i', (occurrence) =>
    killAt(point, occurrence),
  );
});
