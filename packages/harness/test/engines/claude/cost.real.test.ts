// What each turn is charged with, by the real CLI's own count, however its processes came and went before.
import { type EngineSession, pause } from '@toolyard/sdk';
import type { RecordingHost } from '@toolyard/sdk/testing';
import { describe, expect, test } from 'vitest';
import { type HotWorld, killCli, openHotWorld, until, type WrapProcess } from './hot-world.ts';

const patient = { timeout: 60_000 };
/** What the CLI reckons for a million tokens of `claude-sonnet-5`. */
const price = { input: 2, output: 10 };

/** Hears a moment later that it is to end, as on a busy machine. */
const leaveLate: WrapProcess = (owned) => ({
  ...owned,
  stdin: {
    write: (chunk) => owned.stdin.write(chunk),
    end: () => pause(lateMs).then(() => owned.stdin.end()),
  },
  kill: (graceMs) => pause(lateMs).then(() => owned.kill(graceMs)),
});
const lateMs = 500;

/** One turn: what it was charged with, and what it used by its tokens. */
async function spend(world: HotWorld, session: EngineSession, words: string) {
  const { host, ended } = world.begin(session, words);
  const { outcome, costUsd } = await ended;
  const used = host.events.reduce((sum, event) => {
    if (event.type !== 'usage') return sum;
    const { inputTokens, outputTokens } = event.data;
    return sum + (inputTokens * price.input + outputTokens * price.output) / 1_000_000;
  }, 0);
  return { charged: { outcome, costUsd }, exact: { outcome: 'completed', costUsd: expect.closeTo(used, 9) } };
}

async function expectExact(world: HotWorld, session: EngineSession, ...words: string[]): Promise<void> {
  for (const message of words) {
    const { charged, exact } = await spend(world, session, message);
    expect(charged).toEqual(exact);
    expect(charged.costUsd).toBeGreaterThan(0.001);
  }
}

/** Of each step, whether it was counted. */
function countsOf({ events }: RecordingHost): boolean[] {
  return events.flatMap((event) => (event.type === 'usage' ? [event.data.inputTokens > 0] : []));
}

describe('a turn is charged with what it used itself', () => {
  test('when the process before it is still on its way out', patient, async () => {
    const world = await openHotWorld({ wrapProcess: leaveLate });
    let session = await world.open();
    for (let round = 0; round < 2; round++) {
      await expectExact(world, session, 'remember blue', 'who are you');
      void session.close();
      session = await world.open({ resume: world.journal(session).resume() });
    }
    await expectExact(world, session, 'what was it');
  });

  test(
    'when the process before it was killed and noted nothing, or the turn before it was interrupted; and with nobody knows what, when its answer broke off',
    patient,
    async () => {
      const world = await openHotWorld();
      const session = await world.open();
      await expectExact(world, session, 'remember blue', 'who are you');
      await killCli(world.process());
      await until('it is gone', () => world.spawned[0]?.hasExited ?? false);
      await expectExact(world, session, 'what was it', 'who are you');

      const inTool = world.begin(session, 'conformance: abort in a tool');
      await until('the tool runs', () => inTool.host.calls.length === 1);
      inTool.host.abort();
      expect(await inTool.ended).toEqual({ outcome: 'interrupted' });
      expect(countsOf(inTool.host)).toEqual([true]);
      await expectExact(world, session, 'who are you');
      expect(world.spawned).toHaveLength(2);

      const { host, ended } = world.begin(session, 'conformance: abort while streaming');
      await until('it speaks', () => host.events.some(({ type }) => type === 'text_delta'));
      host.abort();
      expect(await ended).toEqual({ outcome: 'interrupted' });
      expect(countsOf(host)).toEqual([false]);
      await expectExact(world, session, 'who are you');
    },
  );
});
