// Kills the server at every named point between two steps that must both hold, and looks at what is left. Each point
// once by default, with TOOLYARD_SOAK=full four times.
import { describe, expect, test } from 'vitest';
import { type CrashPoint, crashPoints } from '../../src/core/lib/ports.ts';
import { isFullSoak } from '../support/soak.ts';
import { findViolations } from './check-history.ts';
import { type CrashHome, createCrashHome } from './crash-home.ts';

const messagesPerWriter = 8;
/** Several run at once. */
const timeout = 90_000;
/** Those of a start, of a person's answer, of a restore, of agents and of whole sessions have tests of their own. */
const elsewhere: readonly CrashPoint[] = [
  ...(['migration.written', 'tool.asked', 'approval.answered'] as const),
  ...(['session.deleted', 'session.copied', 'agent.drafted', 'agent.reported'] as const),
];
const pointsUnderLoad = crashPoints.filter(
  (point) => !elsewhere.includes(point) && !point.startsWith('restore.'),
);

/** Loads a server until it dies at the point. */
async function killUnderLoad(yard: CrashHome, point: CrashPoint, occurrence: number): Promise<void> {
  const server = yard.spawn({ killAt: { point, occurrence } });
  const loaded = yard.load(await server.ready, messagesPerWriter, AbortSignal.timeout(20_000));
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await loaded;
  await yard.lookAtKill();
}

/** Kills the start that follows, or what it does with the queue it finds; from outside if it never gets there. */
async function killAtRestart(yard: CrashHome, point: CrashPoint): Promise<void> {
  const server = yard.spawn({ killAt: { point, occurrence: 1 } });
  await Promise.race([server.exited, server.ready.then(() => yard.settle())]).catch(() => {});
  await server.kill('SIGKILL');
  await yard.lookAtKill();
}

/** Restarts in peace, retries what was broken off, and judges. */
async function expectWhole(yard: CrashHome): Promise<void> {
  const server = yard.spawn();
  const ready = await server.ready;
  await yard.settle();
  const retried = await yard.retryAll(ready);
  const history = await yard.finish(server);
  const ends = retried.map((turnId) => history.turns.find(({ id }) => id === turnId)?.state);
  expect({ violations: findViolations(history), ends }).toEqual({
    violations: [],
    ends: retried.map(() => 'completed'),
  });
}

const day = Math.floor(Date.now() / (24 * 3_600_000));

/** The short form kills each point once, every other one again during the restart: the others the next day. */
function toOccurrences(index: number): { once: number[]; restarted: number[] } {
  if (isFullSoak) return { once: [1, 7], restarted: [3, 20] };
  return (index + day) % 2 === 0 ? { once: [], restarted: [3] } : { once: [7], restarted: [] };
}

const kills = pointsUnderLoad.map((point, index) => ({ point, ...toOccurrences(index) }));

describe.concurrent.each(kills)('killed at $point', ({ point, once, restarted }) => {
  test.for(once)(
    'P1, P2, P12: the home is whole after occurrence %i',
    { timeout },
    async (occurrence, { onTestFinished }) => {
      const yard = await createCrashHome({ seed: occurrence, onTestFinished });
      await killUnderLoad(yard, point, occurrence);
      await expectWhole(yard);
    },
  );

  test.for(restarted)(
    'P12: the home is whole after occurrence %i and a killed restart',
    { timeout },
    async (occurrence, { onTestFinished }) => {
      const yard = await createCrashHome({ seed: occurrence, onTestFinished });
      await killUnderLoad(yard, point, occurrence);
      await killAtRestart(yard, point);
      await expectWhole(yard);
    },
  );
});

test('P1: a start killed in the middle of making the schema is made good by the next', async () => {
  const yard = await createCrashHome({ seed: 1 });
  const server = yard.spawn({ killAt: { point: 'migration.written', occurrence: 1 } });
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const next = yard.spawn();
  const stop = new AbortController();
  const loaded = yard.load(await next.ready, 1, stop.signal);
  await yard.firstAck();
  stop.abort();
  await loaded;
  await yard.settle();
  expect(findViolations(await yard.finish(next))).toEqual([]);
});
