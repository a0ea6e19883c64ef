// A CLI that does not come up: the turn says why, and the next message tries again.
import { pause, ToolyardError } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { openHotWorld, until } from '../hot-world.ts';
import { watchStrays } from '../process-wrappers.ts';

const patient = { timeout: 60_000 };

describe('a CLI that cannot be started', () => {
  test('ends the turn with why, and is tried again with the next message', patient, async () => {
    const strays = watchStrays();
    let isBroken = true;
    const world = await openHotWorld({
      beforeSpawn() {
        if (isBroken)
          throw new ToolyardError('process_failed', 'claude could not be started: no namespaces left.');
      },
    });
    const session = await world.open();
    for (let turn = 0; turn < 2; turn++) {
      const words = await world.say(session, 'remember blue');
      expect(words).toMatch(/^failed process_failed: .*could not be started.*no namespaces left/);
    }
    isBroken = false;
    expect(await world.say(session, 'remember green')).toBe('I shall remember green.');
    expect(strays).toEqual([]);
  });

  test(
    'for want of a login or a directory says so, and is tried again with the next message',
    patient,
    async () => {
      const strays = watchStrays();
      const broken = new ToolyardError('provider_auth', 'Log in first.');
      let access = () => Promise.reject<Record<string, string>>(broken);
      const world = await openHotWorld({ engine: { access: () => access() } });
      const session = await world.open();
      expect(await world.say(session, 'remember blue')).toBe('failed provider_auth: Log in first.');
      access = async () => ({ ANTHROPIC_BASE_URL: world.url, ANTHROPIC_API_KEY: 'test' });
      expect(await world.say(session, 'remember green')).toBe('I shall remember green.');
      const homeless = await world.open({ cwd: '/no/such/directory' });
      expect(await world.say(homeless, 'remember blue')).toMatch(
        /^failed process_failed: .*no longer exists/,
      );
      expect(strays).toEqual([]);
    },
  );

  test('because its session is closed meanwhile disturbs nobody', patient, async () => {
    const strays = watchStrays();
    const world = await openHotWorld({
      async beforeSpawn({ signal }) {
        await pause(100);
        signal?.throwIfAborted();
      },
    });
    const session = await world.open();
    const { ended } = world.begin(session, 'remember blue');
    await session.close();
    expect(await ended).toEqual({ outcome: 'interrupted' });
    await pause(500);
    expect([world.spawned.filter(({ hasExited }) => !hasExited), strays]).toEqual([[], []]);
  });

  test('does not take a later one with it that could', patient, async () => {
    const strays = watchStrays();
    let tries = 0;
    const world = await openHotWorld({
      config: { idleMinutes: 0.01 },
      async beforeSpawn() {
        tries++;
        if (tries === 2) throw new ToolyardError('process_failed', 'claude could not be started: for now.');
      },
    });
    const session = await world.open();
    expect(await world.say(session, 'remember blue')).toBe('I shall remember blue.');
    await until('its time is up', () => world.spawned[0]?.hasExited ?? false);
    expect(await world.say(session, 'what was it')).toMatch(/could not be started.*for now/);
    expect(await world.say(session, 'who are you')).toBe('I am claude-sonnet-5.');
    expect(strays).toEqual([]);
  });
});
