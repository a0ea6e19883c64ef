// Shows that the crash tests can fail: stores with one planted fault each, killed a few times, are found out.
import { pause } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { findViolations } from './check-history.ts';
import { type CrashHome, createCrashHome } from './crash-home.ts';
import type { Fault } from './faulty-store.ts';
import type { Violation } from './history.ts';

const mostKills = 16;
const killsBetweenLooks = 4;

async function kill(yard: CrashHome, fault: Fault): Promise<void> {
  const server = yard.spawn({ fault });
  const stop = new AbortController();
  const loaded = yard.load(await server.ready, 4, stop.signal);
  await yard.firstAck();
  await pause(yard.random.between(0, 60));
  await server.kill('SIGKILL');
  stop.abort();
  await loaded;
}

async function look(yard: CrashHome, fault: Fault): Promise<Violation[]> {
  const server = yard.spawn({ fault });
  await server.ready;
  await yard.settle(500);
  return findViolations(await yard.finish(server));
}

const planted: [string, Fault, string[]][] = [
  ['a store that acknowledges before it commits', 'ackEarly', ['acknowledged-lost']],
  ['a message that is acknowledged before it is durable', 'acceptEarly', ['acknowledged-lost']],
  ['events that readers see before they are durable', 'publishEarly', ['event-lost', 'event-changed']],
  ['a start that does not look for what was running', 'skipRecovery', ['turn-open']],
  ['a call that runs before its row says so', 'forgetStarts', ['effect-unrecorded']],
];

test.each(planted)(
  'P1: kills find out %s',
  async (_, fault, rules) => {
    const yard = await createCrashHome({ seed: 7 });
    const found = new Set<string>();
    for (let kills = 1; kills <= mostKills && !rules.some((rule) => found.has(rule)); kills += 1) {
      await kill(yard, fault);
      if (kills % killsBetweenLooks > 0) continue;
      for (const { rule } of await look(yard, fault)) found.add(rule);
    }
    expect(rules.filter((rule) => found.has(rule))).not.toEqual([]);
  },
  120_000,
);
