// Processes that are kept between turns, with the real CLI: which message goes to which process.
import { pause } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { findCli, isAlive, openHotWorld, until } from '../hot-world.ts';

const patient = { timeout: 60_000 };
const seconds = (count: number) => count / 60;
const remembered = (word: string) => `You said: remember ${word}.`;

describe('a session’s process', () => {
  test(
    'hears all messages, uses another model from the next on, and answers each for itself, whenever the one before was interrupted',
    patient,
    async () => {
      const world = await openHotWorld();
      const session = await world.open({ instructions: 'You keep the lighthouse.' });
      const said = [];
      for (const words of ['remember blue', 'what was it', 'who are you'])
        said.push(await world.say(session, words));
      expect(said).toEqual(['I shall remember blue.', remembered('blue'), 'I am claude-sonnet-5.']);
      await session.setModel?.('anthropic/claude-opus-4-8');
      expect(await world.say(session, 'who are you')).toBe('I am claude-opus-4-8.');
      // The CLI asks the new model for a sign of life first, without instructions or tools.
      const turns = world.asked.filter(({ tools }) => tools.length > 0);
      expect(
        turns.slice(-2).map(({ model, system }) => [model, system.includes('You keep the lighthouse.')]),
      ).toEqual([
        ['claude-sonnet-5', true],
        ['claude-opus-4-8', true],
      ]);
      for (let moment = 0; moment < 60; moment += 4) {
        const { host, ended } = world.begin(session, 'who are you');
        await pause(moment);
        host.abort();
        expect(['completed', 'interrupted']).toContain((await ended).outcome);
        expect(await world.say(session, `remember ${moment}x`)).toMatch(`remember ${moment}x.`.slice(8));
      }
      expect(world.spawned.map(({ isSpare, resumes }) => ({ isSpare, resumes }))).toEqual([
        { isSpare: false, resumes: false },
      ]);
    },
  );

  test(
    'is ended when nobody spoke for its time, and the next message goes on in another',
    patient,
    async () => {
      const world = await openHotWorld({ config: { idleMinutes: seconds(0.5) } });
      const session = await world.open();
      await world.say(session, 'remember blue');
      await until('its time is up', () => world.spawned[0]?.hasExited ?? false);
      expect(await world.say(session, 'what was it')).toBe(remembered('blue'));
      expect(world.spawned.map(({ resumes }) => resumes)).toEqual([false, true]);
    },
  );

  test('that nobody ever spoke to is ended after its time too', patient, async () => {
    const world = await openHotWorld({ config: { idleMinutes: seconds(0.5) } });
    await world.open();
    await until('it has come and gone', () => world.spawned[0]?.hasExited ?? false);
  });

  test('is not ended in the middle of a turn that takes longer than its time', patient, async () => {
    const idleSeconds = 0.1;
    const world = await openHotWorld({ config: { idleMinutes: seconds(idleSeconds) } });
    const session = await world.open();
    const { ended, host } = world.begin(session, 'conformance: abort in a tool');
    await until('the tool runs', () => host.calls.length === 1);
    // Four times its time.
    await pause(idleSeconds * 4_000);
    expect(world.spawned.map(({ hasExited }) => hasExited)).toEqual([false]);
    host.abort();
    expect(await ended).toEqual({ outcome: 'interrupted' });
  });

  test(
    'makes room when there are too many, the least recently used first, and when memory is short',
    patient,
    async () => {
      let free = Number.POSITIVE_INFINITY;
      const world = await openHotWorld({ config: { maxHot: 2 }, engine: { freeMemory: () => free } });
      const first = await world.open();
      await world.say(first, 'remember one');
      const second = await world.open();
      await world.say(second, 'remember two');
      await world.say(first, 'what was it');
      const third = await world.open();
      await world.say(third, 'remember three');
      await until('the second is ended', () => world.spawned[1]?.hasExited ?? false);
      expect(world.spawned.map(({ hasExited }) => hasExited)).toEqual([false, true, false]);
      expect(await world.say(second, 'what was it')).toBe(remembered('two'));
      expect(world.spawned.map(({ resumes }) => resumes)).toEqual([false, false, false, true]);

      await until('the first is ended', () => world.spawned[0]?.hasExited ?? false);
      expect(world.spawned.map(({ hasExited }) => hasExited)).toEqual([true, true, false, false]);
      free = 100 * 1024 * 1024;
      await world.say(second, 'what was it');
      await until('the third is ended', () => world.spawned[2]?.hasExited ?? false);
      free = Number.POSITIVE_INFINITY;
      expect(await world.say(third, 'what was it')).toBe(remembered('three'));
    },
  );

  test('does not make room while it works', patient, async () => {
    const world = await openHotWorld({ config: { maxHot: 1 } });
    const [working, other] = [await world.open(), await world.open()];
    const { ended, host } = world.begin(working, 'conformance: abort in a tool', {
      runTool: async ({ id, name }, signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { toolCallId: id, tool: name, text: 'stopped', isError: true };
      },
    });
    await until('the tool runs', () => host.calls.length === 1);
    const worker = world.spawned.findLast(({ hasExited }) => !hasExited);
    expect(await world.say(other, 'remember other')).toBe('I shall remember other.');
    await until('only one is left', () => world.spawned.filter(({ hasExited }) => !hasExited).length === 1);
    expect(worker?.hasExited).toBe(false);
    host.abort();
    expect(await ended).toEqual({ outcome: 'interrupted' });
    expect(await world.say(other, 'what was it')).toBe(remembered('other'));
  });

  test('is gone when its session is closed, idle, in a tool or just being started', patient, async () => {
    const world = await openHotWorld();
    const [idle, working, starting] = await Promise.all([world.open(), world.open(), world.open()]);
    await world.say(idle, 'remember blue');
    const { ended, host } = world.begin(working, 'conformance: abort in a tool');
    await until('the tool runs', () => host.calls.length === 1);
    // One that never ends by itself: on a slow machine it may have begun before it is closed.
    const late = world.begin(starting, 'conformance: abort in a tool');
    const pids = await Promise.all(world.spawned.map(({ owned }) => findCli(owned)));
    await Promise.all([idle.close(), working.close(), starting.close(), starting.close()]);
    expect([await ended, await late.ended]).toEqual([{ outcome: 'interrupted' }, { outcome: 'interrupted' }]);
    expect([pids.length, pids.filter(isAlive)]).toEqual([3, []]);
    expect(world.spawned.every(({ hasExited }) => hasExited)).toBe(true);
    expect(await world.say(idle, 'what was it')).toBe('interrupted');
    expect(world.spawned).toHaveLength(3);
  });
});
