// The one process that waits for the next session, with the real CLI: who gets it, and what becomes of it otherwise.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { suiteTools } from '@toolyard/sdk/testing';
import { describe, expect, test } from 'vitest';
import {
  findCli,
  type HotWorld,
  isAlive,
  killCli,
  openHotWorld,
  until,
  type WrapProcess,
} from '../hot-world.ts';

const patient = { timeout: 60_000 };
const spare = { spare: true };

/** A world in which a spare starts, for a session with the suite's tools. */
async function openWithSpare(options: Parameters<typeof openHotWorld>[0] = {}): Promise<HotWorld> {
  const world = await openHotWorld({ ...options, config: { ...spare, ...options.config } });
  world.engine.expect?.(world.specOf());
  await until('a spare is started', () => world.spawned.length === 1);
  return world;
}

async function untilItWaits({ spawned }: HotWorld): Promise<void> {
  await until('it has begun', () => spawned.at(-1)?.hasBegun ?? false);
  // Nothing tells when the engine has heard it too.
  await pause(50);
}

const own = ({ spawned }: HotWorld) => spawned.filter(({ isSpare }) => !isSpare);
const waitingIn = ({ spawned }: HotWorld) =>
  spawned.filter(({ isSpare, hasExited }) => isSpare && !hasExited);
const parked = ({ userHome }: HotWorld) => readdir(join(userHome, '.claude', 'spares')).catch(() => []);

describe('the spare process', () => {
  test(
    'serves the next session with the same tools: with its role, model and directory, through its gate, and on; none with other tools, other own tools or other limits, and none that is to be resumed',
    patient,
    async () => {
      const world = await openWithSpare();
      const wanted = { instructions: 'You keep the lighthouse.', model: 'anthropic/claude-opus-4-8' };
      const session = await world.open(wanted);
      expect(await world.say(session, 'who are you')).toBe('I am claude-opus-4-8.');
      expect(await world.say(session, 'remember blue')).toBe('I shall remember blue.');
      expect(own(world)).toEqual([]);
      const turns = world.asked.filter(({ tools }) => tools.length > 0);
      expect(turns.map(({ model, system }) => [model, system.includes('You keep the lighthouse.')])).toEqual([
        ['claude-opus-4-8', true],
        ['claude-opus-4-8', true],
      ]);
      expect(JSON.stringify(turns[0]?.messages)).toContain(`Primary working directory: ${world.cwd}`);
      expect(turns[0]?.tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(suiteTools.map(({ name }) => name)),
      );

      // Its calls go through the gate of the session that it serves.
      const allowed = world.begin(session, 'conformance: one tool');
      expect(await allowed.ended).toMatchObject({ outcome: 'completed' });
      expect([allowed.host.breaches, allowed.host.calls.map(({ name, input }) => [name, input])]).toEqual([
        [],
        [['mcp__suite__echo', { text: 'one' }]],
      ]);
      const refused = world.begin(session, 'conformance: one tool', {
        judge: () => ({ decision: 'deny', reason: 'not today' }),
      });
      await refused.ended;
      expect([refused.host.breaches, refused.host.calls]).toEqual([[], []]);
      expect(own(world)).toEqual([]);

      // It is resumed as any other.
      await killCli(world.process());
      expect(await world.say(session, 'what was it')).toBe('You said: who are you.');
      expect(own(world).map(({ resumes }) => resumes)).toEqual([true]);

      // The one that waits by now is for none of these.
      await until('there is another spare', () => waitingIn(world).length === 1);
      const resumed = await world.open({ ...wanted, resume: world.journal(session).resume() });
      expect(await world.say(resumed, 'what was it')).toBe('You said: who are you.');
      expect(own(world).map(({ resumes }) => resumes)).toEqual([true, true]);
      const others = [{ tools: suiteTools.slice(1) }, { nativeTools: [] }, { maxSteps: 3 }];
      const sessions = await Promise.all(others.map((other) => world.open(other)));
      const said = await Promise.all(sessions.map((other) => world.say(other, 'remember blue')));
      expect(said).toEqual(Array(3).fill('I shall remember blue.'));
      expect(own(world)).toHaveLength(5);
    },
  );

  test('does not serve a session whose access to the model is another one by now', patient, async () => {
    let key = 'first';
    const opened: { world?: HotWorld } = {};
    const world = await openWithSpare({
      engine: {
        access: async () => ({ ANTHROPIC_BASE_URL: opened.world?.url ?? '', ANTHROPIC_API_KEY: key }),
      },
    });
    opened.world = world;
    key = 'second';
    const session = await world.open();
    expect(await world.say(session, 'remember blue')).toBe('I shall remember blue.');
    expect(own(world)).toHaveLength(1);
  });

  test('is replaced once it serves, and only one waits however much is expected', patient, async () => {
    const world = await openWithSpare();
    const session = await world.open();
    await world.say(session, 'remember blue');
    await until('there is another', () => waitingIn(world).length === 2);
    const kinds = [world.specOf(), world.specOf({ maxSteps: 3 }), world.specOf({ nativeTools: [] })];
    for (let round = 0; round < 6; round++) {
      world.engine.expect?.(kinds[round % kinds.length] ?? world.specOf());
      await pause(round * 30);
    }
    world.engine.expect?.(world.specOf({ maxSteps: 7 }));
    await until(
      'the last wish is fulfilled',
      () => world.spawned.at(-1)?.spec.args.includes('--max-turns=7') ?? false,
    );
    await until('the others are ended', () => waitingIn(world).length === 2);
    expect(world.spawned[0]?.hasExited).toBe(false);
    const last = await world.open({ maxSteps: 7 });
    expect(await world.say(last, 'remember green')).toBe('I shall remember green.');
    expect(own(world)).toEqual([]);
  });

  test(
    'that has died is replaced when the next session is expected; one that dies as it is claimed makes way for a process of its own',
    patient,
    async () => {
      const world = await openWithSpare();
      // One that waits, and one that is still being started.
      for (const isReady of [true, false]) {
        if (isReady) await untilItWaits(world);
        await killCli(world.process(-1));
        await until('its end is known', () => waitingIn(world).length === 0);
        await until('its folder is gone', async () => (await parked(world)).length === 0);
        const before = world.spawned.length;
        world.engine.expect?.(world.specOf());
        await until('there is another', () => world.spawned.length > before);
      }
      const session = await world.open();
      expect(await world.say(session, 'remember blue')).toBe('I shall remember blue.');
      expect(own(world)).toEqual([]);

      await until('there is another', () => waitingIn(world).length === 2);
      await untilItWaits(world);
      await killCli(world.process(-1));
      const second = await world.open();
      expect(await world.say(second, 'remember green')).toBe('I shall remember green.');
      expect(own(world)).toHaveLength(1);
    },
  );

  test('that refuses, or does not answer, makes way for a process of its own', {
    timeout: 90_000,
  }, async () => {
    const makeWay = async (wrapProcess: WrapProcess) => {
      const world = await openWithSpare({ wrapProcess });
      const session = await world.open();
      const asked = Date.now();
      expect(await world.say(session, 'remember blue')).toBe('I shall remember blue.');
      expect(Date.now() - asked).toBeLessThan(15_000);
      expect(own(world)).toHaveLength(1);
      await until('the spare is gone', () => world.spawned[0]?.hasExited ?? false);
    };
    // The second waits for an answer for some seconds.
    await Promise.all([makeWay(refuseClaim), makeWay(stopAtClaim)]);
  });

  test('that cannot be started costs nobody anything', patient, async () => {
    const world = await openHotWorld({
      config: spare,
      wrapProcess: (owned, _, { args }) => {
        if (args.includes('--await-claim')) throw new Error('no room for a spare');
        return owned;
      },
    });
    world.engine.expect?.(world.specOf());
    await until('it was tried', () => world.spawned.length === 1);
    const session = await world.open();
    expect(await world.say(session, 'remember blue')).toBe('I shall remember blue.');
    expect(own(world)).toHaveLength(1);
  });

  test('is not there when none is wanted, or memory is short', patient, async () => {
    let looked = 0;
    let url = '';
    const access = async () => {
      looked++;
      return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test' };
    };
    const worlds = [
      await openHotWorld({ config: { spare: false } }),
      await openHotWorld({ config: spare, engine: { access, freeMemory: () => 900 * 1024 * 1024 } }),
    ];
    url = worlds[1]?.url ?? '';
    for (const world of worlds) {
      world.engine.expect?.(world.specOf());
      const session = await world.open();
      expect(await world.say(session, 'remember blue')).toBe('I shall remember blue.');
    }
    // The spare that is wished for now would be started before the next session.
    const before = looked;
    worlds[1]?.engine.expect?.(worlds[1].specOf());
    await until('a spare was thought of', () => looked > before);
    const last = await worlds[1]?.open();
    if (last) await worlds[1]?.say(last, 'remember blue');
    expect(worlds.map(({ spawned }) => spawned.map(({ isSpare }) => isSpare))).toEqual([
      [false],
      [false, false],
    ]);
  });

  test('is gone when the engine is closed, whenever that is, and none comes after', patient, async () => {
    // Before it is begun, while it starts, and when it waits.
    const moments = [
      () => pause(0),
      () => pause(20),
      () => pause(150),
      ({ spawned }: HotWorld) => until('it has begun', () => spawned[0]?.hasBegun ?? false),
    ];
    const closeAt = async (moment: (world: HotWorld) => Promise<void>) => {
      const world = await openHotWorld({ config: spare });
      world.engine.expect?.(world.specOf());
      await moment(world);
      await world.engine.close?.();
      world.engine.expect?.(world.specOf());
      return world;
    };
    const closed = await Promise.all(moments.map(closeAt));
    const world = await openHotWorld({ config: spare });
    const session = await world.open();
    await world.say(session, 'remember blue');
    await until('there is a spare', () => world.spawned.length === 2);
    const pids = await Promise.all(world.spawned.map(({ owned }) => findCli(owned)));
    await world.closeEngine();
    expect([pids.length, pids.filter(isAlive), await parked(world)]).toEqual([2, [], []]);
    // What was asked of the others after their end would have come before this one's spare.
    for (const other of closed) {
      expect(other.spawned.filter(({ hasExited }) => !hasExited)).toEqual([]);
      expect(await parked(other)).toEqual([]);
    }
  });
});

/** The CLI is told of a directory that is not there, and refuses. */
const refuseClaim: WrapProcess = (owned, nth) =>
  nth === 0 ? { ...owned, stdin: rewriting(owned.stdin) } : owned;

function rewriting(stdin: Parameters<WrapProcess>[0]['stdin']) {
  const write = (chunk: Uint8Array | string) => {
    const text = Buffer.from(chunk).toString();
    return stdin.write(isClaim(text) ? text.replace(/"cwd":"[^"]*"/, '"cwd":"/nowhere"') : text);
  };
  return { ...stdin, write };
}

/** The CLI is stopped as it is about to read the claim. */
const stopAtClaim: WrapProcess = (owned, nth) => {
  if (nth !== 0) return owned;
  const write = async (chunk: Uint8Array | string) => {
    if (isClaim(Buffer.from(chunk).toString())) process.kill(await findCli(owned), 'SIGSTOP');
    return owned.stdin.write(chunk);
  };
  return { ...owned, stdin: { ...owned.stdin, write } };
};

function isClaim(line: string): boolean {
  return line.includes('claim') && line.includes('"cwd"');
}
