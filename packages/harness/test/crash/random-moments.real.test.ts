// Kills the server at random moments under load, again and again on the same home, and judges the whole history. Short
// by default: 8 kills, and 200 with TOOLYARD_SOAK=full. planted-bugs.real.test.ts shows what so few find.
import { randomInt } from 'node:crypto';
import { pause } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { isFullSoak } from '../support/soak.ts';
import { findViolations } from './check-history.ts';
import { type CrashHome, createCrashHome } from './crash-home.ts';

const kills = isFullSoak ? 200 : 8;
/** Two homes side by side, one for each core of a small machine. */
const homes = 2;
const maxLoadMs = 150;
const messagesPerWriter = 3;

async function loadAndKill(yard: CrashHome): Promise<void> {
  const server = yard.spawn();
  const stop = new AbortController();
  const loaded = yard.load(await server.ready, messagesPerWriter, stop.signal);
  // Most kills count from the first answer: a process just started is slow to give it on a busy machine.
  if (yard.random.chance(0.8)) await yard.firstAck();
  await pause(yard.random.between(0, maxLoadMs));
  await server.kill('SIGKILL');
  stop.abort();
  await loaded;
}

/** A start may be killed as well, in the middle of repairing what the last kill left. */
async function startAndKill(yard: CrashHome): Promise<void> {
  const server = yard.spawn();
  await pause(yard.random.between(100, 600));
  await server.kill('SIGKILL');
}

async function killAgainAndAgain(seed: number): Promise<unknown> {
  const yard = await createCrashHome({ seed, maxSessions: 10 });
  // On a busy machine a kill may come before anything was acknowledged: then there are more of them.
  const isEnough = () => yard.memory.acks.length > kills;
  for (let kill = 0; kill < kills / homes || (!isEnough() && kill < kills); kill += 1) {
    await loadAndKill(yard);
    if (kill % 10 === 0) await startAndKill(yard);
  }
  const last = yard.spawn();
  await last.ready;
  await yard.settle();
  const history = await yard.finish(last);
  const violations = findViolations(history);
  return { seed, violations, enough: isEnough() };
}

test(`P1: nothing acknowledged is lost in ${kills} kills at random moments`, async () => {
  const seeds = Array.from({ length: homes }, () => randomInt(2 ** 31));
  const results = await Promise.all(seeds.map(killAgainAndAgain));
  expect(results).toEqual(seeds.map((seed) => ({ seed, violations: [], enough: true })));
}, 600_000);
