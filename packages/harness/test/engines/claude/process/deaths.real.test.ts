// The real CLI dies, or loses its pipes, at odd moments: the turn ends soon and says so, and the next message works.
import type { EngineSession, OwnedProcess } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import {
  findCli,
  type HotWorld,
  isAlive,
  killCli,
  openHotWorld,
  toWords,
  until,
  type WrapProcess,
} from '../hot-world.ts';
import { first, onRead, onWrite, watchStrays } from '../process-wrappers.ts';

const patient = { timeout: 60_000 };
/** What we promise from the death on; here it holds from the message on. */
const soonMs = 5_000;
const gone = /^failed process_failed: Claude’s process ended before .+Retry the turn/;

/** Says something in a new session, which the first process does not survive; then something else. */
async function dieOnce(world: HotWorld, content = 'remember blue') {
  const strays = watchStrays();
  const session = await world.open();
  const begun = Date.now();
  const words = await world.say(session, content);
  const tookMs = Date.now() - begun;
  const next = await world.say(session, 'remember green');
  return { words, tookMs, next, strays };
}

/** The last process dies while a call waits to be judged, or runs; then something else is said. */
async function dieInCall(world: HotWorld, session: EngineSession, moment: 'judge' | 'runTool') {
  let reached = false;
  const held = Promise.withResolvers<void>();
  const hold = async () => {
    reached = true;
    await held.promise;
  };
  const { host, ended } = world.begin(session, 'conformance: one tool', {
    ...(moment === 'judge' && {
      judge: ({ input }) => ({
        decision: 'ask',
        answered: async () => {
          await hold();
          return { decision: 'allow', input };
        },
      }),
    }),
    ...(moment === 'runTool' && {
      runTool: async ({ id, name }) => {
        await hold();
        return { toolCallId: id, tool: name, text: 'late', isError: false };
      },
    }),
  });
  await until('it is there', () => reached);
  await killCli(world.process(-1));
  const died = Date.now();
  expect(toWords(await ended)).toMatch(gone);
  expect(Date.now() - died).toBeLessThan(soonMs);
  held.resolve();
  expect(await world.say(session, 'remember green')).toMatch(/green\.$/);
  expect([host.breaches, host.calls.length]).toEqual([[], moment === 'judge' ? 0 : 1]);
}

const atStart: Record<string, WrapProcess> = {
  'when it has just been started': first(async (owned) => {
    await killCli(owned);
    return owned;
  }),
  'before it is told how to begin': onWrite('"initialize"', killCli),
  'while it begins': first((owned) => {
    const write = async (chunk: Uint8Array | string) => {
      await owned.stdin.write(chunk);
      if (Buffer.from(chunk).includes('"initialize"')) await killCli(owned);
    };
    return { ...owned, stdin: { ...owned.stdin, write } };
  }),
  'once it has begun, before the message': onRead('"control_response"', killCli, 'before'),
  'as the message reaches it': onWrite('"type":"user"', killCli),
  'when its input is closed with the message': onWrite('"type":"user"', (owned) => owned.stdin.end()),
};

describe('a CLI that dies', () => {
  for (const [moment, wrapProcess] of Object.entries(atStart)) {
    test(`${moment} ends the turn with what happened; the next message works`, patient, async () => {
      const { words, tookMs, next, strays } = await dieOnce(await openHotWorld({ wrapProcess }));
      expect([words, next, strays]).toEqual([
        expect.stringMatching(gone),
        expect.stringMatching(/^I shall remember (blue remember )?green\.$/),
        [],
      ]);
      expect(tookMs).toBeLessThan(soonMs);
    });
  }

  test(
    'in the middle of its words, or while a call is being judged, or runs, ends the turn and runs nothing more; the next message works',
    patient,
    async () => {
      const strays = watchStrays();
      const world = await openHotWorld();
      const session = await world.open();
      const { host, ended } = world.begin(session, 'slowly');
      await until('it speaks', () => host.events.some(({ type }) => type === 'text_delta'));
      await killCli(world.process());
      const died = Date.now();
      expect(toWords(await ended)).toMatch(gone);
      expect([Date.now() - died < soonMs, host.breaches]).toEqual([true, []]);
      expect(await world.say(session, 'who are you')).toBe('I am claude-sonnet-5.');
      for (const moment of ['judge', 'runTool'] as const) await dieInCall(world, session, moment);
      expect(strays).toEqual([]);
    },
  );

  test('right after the result does the turn no harm; the next message works', patient, async () => {
    const strays = watchStrays();
    const wrappers = (['before', 'after'] as const).map((when) => onRead('"type":"result"', killCli, when));
    const world = await openHotWorld({
      wrapProcess: (owned, nth, spec) => wrappers[nth]?.(owned, 0, spec) ?? owned,
    });
    const session = await world.open();
    expect(await world.say(session, 'remember blue')).toBe('I shall remember blue.');
    for (const nth of wrappers.keys()) {
      await until('it is dead', () => world.spawned[nth]?.hasExited ?? false);
      expect(await world.say(session, 'what was it')).toBe('You said: remember blue.');
    }
    expect(world.spawned.map(({ resumes }) => resumes)).toEqual([false, true, true]);
    expect(strays).toEqual([]);
  });

  test(
    'between turns, alone or with what confines it, or whose input is closed there, is replaced without a word',
    patient,
    async () => {
      const strays = watchStrays();
      const world = await openHotWorld();
      const session = await world.open();
      await world.say(session, 'remember blue');
      const killWhileIdle = async (owned: OwnedProcess) => {
        await killCli(owned);
        await until('its end is known', () => world.spawned.at(-1)?.hasExited ?? false);
      };
      const killConfined = async (owned: OwnedProcess) => {
        const cli = await findCli(owned);
        process.kill(owned.pid, 'SIGKILL');
        // What was confined dies a moment later, and could hear the message before.
        await until('it has died too', () => !isAlive(cli));
      };
      const closeInput = (owned: OwnedProcess) => owned.stdin.end();
      const harms = [killCli, killCli, killWhileIdle, closeInput, killConfined];
      for (const [nth, harm] of harms.entries()) {
        const owned = world.process(-1);
        const cli = await findCli(owned);
        await harm(owned);
        // In plan mode something is asked of it before it gets the message.
        const words = await world.say(session, 'what was it', { mode: nth === 0 ? 'plan' : 'default' });
        expect(words).toBe('You said: remember blue.');
        expect(world.spawned).toHaveLength(nth + 2);
        await until('nothing is left of it', () => !isAlive(cli));
      }
      expect(world.spawned.map(({ resumes }) => resumes)).toEqual([false, ...harms.map(() => true)]);
      expect(world.asked).toHaveLength(harms.length + 1);

      // With the model that was chosen meanwhile.
      await killCli(world.process(-1));
      await session.setModel?.('anthropic/claude-opus-4-8');
      expect(await world.say(session, 'who are you')).toBe('I am claude-opus-4-8.');
      expect(strays).toEqual([]);
    },
  );

  test(
    'while the person interrupts has been interrupted; one that stands still then is ended and replaced',
    patient,
    async () => {
      const world = await openHotWorld();
      const session = await world.open();
      const speak = async () => {
        const turn = world.begin(session, 'slowly');
        await until('it speaks', () => turn.host.events.some(({ type }) => type === 'text_delta'));
        return turn;
      };
      const dying = await speak();
      dying.host.abort();
      await killCli(world.process());
      expect(await dying.ended).toEqual({ outcome: 'interrupted' });
      expect(await world.say(session, 'who are you')).toBe('I am claude-sonnet-5.');

      const still = await speak();
      process.kill(await findCli(world.process(-1)), 'SIGSTOP');
      const asked = Date.now();
      still.host.abort();
      expect(await still.ended).toEqual({ outcome: 'interrupted' });
      expect(Date.now() - asked).toBeLessThan(soonMs);
      expect(await world.say(session, 'who are you')).toBe('I am claude-sonnet-5.');
    },
  );

  test(
    'or stands still between turns can be interrupted, told to use another model, and closed',
    patient,
    async () => {
      const strays = watchStrays();
      const world = await openHotWorld();
      const [waited, changed, closed] = await Promise.all([world.open(), world.open(), world.open()]);
      for (const session of [waited, changed, closed]) await world.say(session, 'remember blue');
      for (const { owned } of world.spawned) process.kill(await findCli(owned), 'SIGSTOP');
      // It is given some seconds to take the other model.
      const toldToChange = changed.setModel?.('anthropic/claude-opus-4-8');
      const { host, ended } = world.begin(waited, 'what was it', { mode: 'plan' });
      // By then the turn waits for it to plan, and nothing tells of that.
      setTimeout(host.abort, 100);
      expect(await ended).toEqual({ outcome: 'interrupted' });
      expect(await world.say(waited, 'what was it')).toBe('You said: remember blue.');
      await toldToChange;
      expect(await world.say(changed, 'who are you')).toBe('I am claude-opus-4-8.');
      await closed.close();
      expect([world.spawned.slice(0, 3).map(({ hasExited }) => hasExited), strays]).toEqual([
        [true, true, true],
        [],
      ]);
    },
  );
});
