// Shows that the crash tests can fail: stores with one planted fault each, killed a few times where it matters, are found
// out.
import { expect, test } from 'vitest';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { findViolations } from './check-history.ts';
import { type CrashHome, createCrashHome } from './crash-home.ts';
import type { Fault } from './faulty-store.ts';
import type { Violation } from './history.ts';

const maxKills = 8;

async function kill(yard: CrashHome, fault: Fault, point: CrashPoint): Promise<void> {
  const occurrence = yard.random.between(4, 12);
  const server = yard.spawn({ fault, killAt: { point, occurrence } });
  const loaded = yard.load(await server.ready, 8, AbortSignal.timeout(20_000));
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await loaded;
}

async function look(yard: CrashHome, fault: Fault): Promise<Violation[]> {
  const server = yard.spawn({ fault });
  await server.ready;
  await yard.settle(500);
  return findViolations(await yard.finish(server));
}

const planted: [string, Fault, CrashPoint, string[]][] = [
  ['a store that acknowledges before it commits', 'ackEarly', 'commit.written', ['acknowledged-lost']],
  [
    'a message that is acknowledged before it is durable',
    'acceptEarly',
    'commit.written',
    ['acknowledged-lost'],
  ],
  [
    'events that readers see before they are durable',
    'publishEarly',
    'commit.written',
    ['event-lost', 'event-changed'],
  ],
  ['a start that does not look for what was running', 'skipRecovery', 'turn.started', ['turn-open']],
  ['a call that runs before its row says so', 'forgetStarts', 'tool.ran', ['effect-unrecorded']],
];

test.concurrent.for(planted)(
  'P1: kills find out %s',
  { timeout: 120_000 },
  async ([, fault, point, rules], { onTestFinished }) => {
    const yard = await createCrashHome({ seed: 7, onTestFinished });
    const found = new Set<string>();
    for (let kills = 1; kills <= maxKills && !rules.some((rule) => found.has(rule)); kills += 1) {
      await kill(yard, fault, point);
      for (const { rule } of await look(yard, fault)) found.add(rule);
    }
    expect(rules.filter((rule) => found.has(rule))).not.toEqual([]);
  },
);
