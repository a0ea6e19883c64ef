import {
  defineTool,
  defineToolkit,
  type Engine,
  type EngineHost,
  type Event,
  pause,
  ToolError,
} from '@toolyard/sdk';
import { createScriptedEngine, type ScriptedTurn } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { converse, isEndOf, logOf, openTestYard, readUntil } from '../../support/yard.ts';

type Steps = ReturnType<NonNullable<Parameters<typeof createScriptedEngine>[0]>['reply'] & object>;

function scripted(reply: (turn: ScriptedTurn) => Steps): Engine {
  return createScriptedEngine({ reply });
}

const types = (events: readonly Event[]) => events.map(({ type }) => type);
const textOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'text_delta' ? event.data.text : [])).join('');
const endOf = (events: readonly Event[]) => events.findLast((event) => event.type === 'turn_end')?.data;

/** Tools that count how often they really ran. */
function createCountingKit() {
  const runs: string[] = [];
  const tool = (name: string, run: (signal: AbortSignal) => Promise<{ n: number }>) =>
    defineTool({
      name,
      title: name,
      description: name,
      effect: 'read',
      tier: 'auto',
      input: z.strictObject({}),
      output: z.object({ n: z.number() }),
      run: (_, { signal }) => {
        runs.push(name);
        return run(signal);
      },
    });
  const tools = [
    tool('count', async () => ({ n: runs.length })),
    tool('stubborn', () => new Promise(() => {})),
    tool('broken', () => Promise.reject(new TypeError('secret detail'))),
    tool('refusing', () => Promise.reject(new ToolError('No, because.'))),
    // The output is checked, so a tool that lies about its own output is a failed call.
    tool('lying', async () => ({ n: 'many' }) as unknown as { n: number }),
  ];
  return { runs, kit: defineToolkit({ name: 'counting', server: 'suite', tools }) };
}

describe('a turn', () => {
  it('is recorded from the message to the end, gap-free', async () => {
    const yard = await openTestYard({ engine: scripted(() => [{ thinking: 'Hm.' }, { text: 'Hello' }]) });
    const { id } = await yard.client().sessions.create();
    const events = await converse(yard, id, 'hi');
    expect(types(events)).toEqual([
      'user_message',
      'session_status',
      'turn_start',
      'thinking_delta',
      'text_delta',
      'usage',
      'turn_end',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(endOf(events)).toMatchObject({ outcome: 'completed', costUsd: 0 });
  });

  it('ends with what becomes of its session: idle, unless another waits', async () => {
    const yard = await openTestYard({ engine: scripted(() => [{ pauseMs: 20 }, { text: 'ok' }]) });
    const { id } = await yard.client().sessions.create();
    await Promise.all([yard.client().sessions.send(id, 'one'), yard.client().sessions.send(id, 'two')]);
    const isIdle = (event: Event) => event.type === 'session_status' && event.data.status === 'idle';
    const events = await readUntil(yard, id, isIdle);
    const told = events.flatMap((event) => {
      if (event.type === 'session_status') return [event.data.status];
      return event.type === 'turn_end' ? [event.data.outcome] : [];
    });
    expect(told).toEqual(['running', 'completed', 'completed', 'idle']);
  });

  it('takes its title from the first message and returns to idle', async () => {
    const yard = await openTestYard({ engine: scripted(() => [{ text: 'ok' }]) });
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, `plan  the   ${'x'.repeat(100)}\nand more`);
    const session = await yard.client().sessions.get(id);
    expect(session).toMatchObject({ status: 'idle', title: `plan the ${'x'.repeat(70)}…` });
  });

  it('is under way for whoever asks as soon as its message is accepted', async () => {
    const client = (await openTestYard({ engine: scripted(() => [{ untilAborted: true }]) })).client();
    const { id } = await client.sessions.create({});
    const statuses: string[] = [];
    for (const words of ['one', 'two', 'three']) {
      await client.sessions.send(id, words);
      statuses.push((await client.sessions.get(id)).status);
      while ((await client.sessions.interrupt(id)).turnId === null) await pause(5);
      statuses.push((await client.sessions.get(id)).status);
    }
    expect(statuses).toEqual(Array(3).fill(['running', 'idle']).flat());
  });

  it('runs alone in its session; messages sent meanwhile queue in order', async () => {
    const yard = await openTestYard({ engine: scripted(({ text }) => [{ pauseMs: 5 }, { text }]) });
    const client = yard.client();
    const { id } = await client.sessions.create();
    const sent = await Promise.all(['a', 'b', 'c', 'd'].map((text) => client.sessions.send(id, text)));
    const events = await readUntil(yard, id, isEndOf(sent.at(-1)?.turnId ?? ''));
    const turns = events.filter(({ type }) => type === 'turn_start' || type === 'turn_end');
    expect(types(turns)).toEqual(Array(4).fill(['turn_start', 'turn_end']).flat());
    expect(textOf(events)).toBe('abcd');
  });

  it('fails with a neutral sentence when the engine breaks, and the session goes on', async () => {
    const engine = scripted(({ text }) =>
      text === 'break' ? [{ throw: 'secret detail' }] : [{ text: 'fine' }],
    );
    const yard = await openTestYard({ engine });
    const { id } = await yard.client().sessions.create();
    const broken = await converse(yard, id, 'break');
    expect(endOf(broken)).toMatchObject({ outcome: 'failed', error: { code: 'internal' } });
    expect(JSON.stringify(broken)).not.toContain('secret detail');
    expect(endOf(await converse(yard, id, 'go on'))).toMatchObject({ outcome: 'completed' });
  });

  it('P18: is started once for one Idempotency-Key, however often and concurrently it is sent', async () => {
    const yard = await openTestYard({ engine: scripted(() => [{ text: 'ok' }]) });
    const client = yard.client();
    const { id } = await client.sessions.create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.sessions.send(id, 'once', { idempotencyKey: 'key-1' })),
    );
    expect(new Set(answers.map(({ turnId }) => turnId)).size).toBe(1);
    const events = await readUntil(yard, id, isEndOf(answers[0]?.turnId ?? ''));
    expect(types(events).filter((type) => type === 'user_message')).toHaveLength(1);
    await expect(client.sessions.send(id, 'other', { idempotencyKey: 'key-1' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });
});

describe('interrupt', () => {
  it('stops the running turn, answers when it has ended, and lets queued messages go on', async () => {
    const engine = scripted(({ text }) =>
      text === 'long' ? [{ text: 'a' }, { untilAborted: true }] : [{ text: 'b' }],
    );
    const yard = await openTestYard({ engine });
    const client = yard.client();
    const { id } = await client.sessions.create();
    const long = await client.sessions.send(id, 'long');
    const next = await client.sessions.send(id, 'next');
    await readUntil(yard, id, ({ type }) => type === 'text_delta');
    expect(await client.sessions.interrupt(id)).toEqual({ turnId: long.turnId });
    const events = await readUntil(yard, id, isEndOf(next.turnId));
    const ends = events.flatMap((event) => (event.type === 'turn_end' ? event.data.outcome : []));
    expect(ends).toEqual(['interrupted', 'completed']);
  });

  it('answers null when nothing runs', async () => {
    const yard = await openTestYard();
    const { id } = await yard.client().sessions.create();
    expect(await yard.client().sessions.interrupt(id)).toEqual({ turnId: null });
  });

  it('leaves behind an engine that does not stop within five seconds, and drops what it says later', async () => {
    const held = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const deaf: Engine = {
      id: 'deaf',
      nativeTools: [],
      start: async () => ({
        close: async () => {},
        prompt: async (_, host) => {
          await host.emit({ type: 'text_delta', data: { text: 'before' } });
          await held.promise;
          await host.emit({ type: 'text_delta', data: { text: 'too late' } });
          late.resolve();
          return { outcome: 'completed' };
        },
      }),
    };
    const yard = await openTestYard({ engine: deaf });
    const client = yard.client();
    const { id } = await client.sessions.create();
    const { turnId } = await client.sessions.send(id, 'go');
    await readUntil(yard, id, ({ type }) => type === 'text_delta');
    const asked = performance.now();
    await client.sessions.interrupt(id);
    expect(performance.now() - asked).toBeLessThan(5_000);
    held.resolve();
    await late.promise;
    const events = await logOf(yard, id);
    expect(events.some(isEndOf(turnId))).toBe(true);
    expect(endOf(events)).toMatchObject({ outcome: 'interrupted' });
    expect(textOf(events)).toBe('before');
  });

  it('calls the outcome of a tool that does not stop unknown', async () => {
    const { kit } = createCountingKit();
    const yard = await openTestYard({
      toolkits: [kit],
      engine: scripted(() => [{ calls: [{ tool: 'mcp__suite__stubborn', input: {} }] }]),
    });
    const client = yard.client();
    const { id } = await client.sessions.create();
    const { turnId } = await client.sessions.send(id, 'go');
    await readUntil(yard, id, ({ type }) => type === 'tool_call_end');
    await client.sessions.interrupt(id);
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(events.find(({ type }) => type === 'tool_result')?.data).toMatchObject({
      outcome: 'unknown',
      isError: true,
    });
    expect(endOf(events)).toMatchObject({ outcome: 'interrupted' });
  });
});

describe('retry', () => {
  it('goes on from the last step and runs no tool twice', async () => {
    const { kit, runs } = createCountingKit();
    let overloaded = true;
    const engine = scripted(({ outcomes }) => {
      if (outcomes.length === 0) return [{ calls: [{ tool: 'mcp__suite__count', input: {} }] }];
      if (overloaded) return [{ fail: { code: 'provider_overloaded', message: 'Busy.' } }];
      return [{ text: `n=${JSON.stringify(outcomes[0]?.output)}` }];
    });
    const yard = await openTestYard({ toolkits: [kit], engine });
    const client = yard.client();
    const { id } = await client.sessions.create();
    expect(endOf(await converse(yard, id, 'count'))).toMatchObject({ outcome: 'failed' });
    overloaded = false;
    const { turnId } = await client.sessions.retry(id);
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(endOf(events)).toMatchObject({ outcome: 'completed' });
    expect(textOf(events)).toBe('n={"n":1}');
    expect(runs).toEqual(['count']);
    expect(types(events).filter((type) => type === 'user_message')).toHaveLength(1);
  });

  it('is refused with the reason when there is nothing to retry', async () => {
    const yard = await openTestYard({ engine: scripted(() => [{ text: 'ok' }]) });
    const client = yard.client();
    const { id } = await client.sessions.create();
    await expect(client.sessions.retry(id)).rejects.toMatchObject({
      code: 'nothing_to_retry',
      message: /Nothing was sent/,
    });
    await converse(yard, id, 'hi');
    await expect(client.sessions.retry(id)).rejects.toMatchObject({ message: /The last turn is completed/ });
  });

  it('is taken once when asked twice at once', async () => {
    const engine = scripted(() => [{ pauseMs: 20 }, { fail: { code: 'provider_failed', message: 'No.' } }]);
    const yard = await openTestYard({ engine });
    const client = yard.client();
    const { id } = await client.sessions.create();
    await converse(yard, id, 'hi');
    const answers = await Promise.allSettled([client.sessions.retry(id), client.sessions.retry(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a tool call', () => {
  it.each([
    ['refusing', 'No, because.'],
    ['broken', 'The tool mcp__suite__broken failed. The person can find the cause in the server log.'],
    ['lying', 'The tool mcp__suite__lying failed. The person can find the cause in the server log.'],
    ['missing', 'There is no tool mcp__suite__missing.'],
  ])('that is %s tells the model why and leaks nothing', async (name, text) => {
    const { kit } = createCountingKit();
    const engine = scripted(({ outcomes }) =>
      outcomes.length === 0
        ? [{ calls: [{ tool: `mcp__suite__${name}`, input: {} }] }]
        : [{ text: outcomes[0]?.text ?? '' }],
    );
    const yard = await openTestYard({ toolkits: [kit], engine });
    const { id } = await yard.client().sessions.create();
    const events = await converse(yard, id, 'go');
    expect(textOf(events)).toContain(text);
    expect(events.find(({ type }) => type === 'tool_result')?.data).toMatchObject({ isError: true });
    expect(JSON.stringify(events)).not.toContain('secret detail');
  });

  it('with invalid input is refused before it runs', async () => {
    const { kit, runs } = createCountingKit();
    const engine = scripted(({ outcomes }) =>
      outcomes.length === 0
        ? [{ calls: [{ tool: 'mcp__suite__count', input: { extra: 1 } }] }]
        : [{ text: 'done' }],
    );
    const yard = await openTestYard({ toolkits: [kit], engine });
    const { id } = await yard.client().sessions.create();
    const events = await converse(yard, id, 'go');
    const result = events.find((event) => event.type === 'tool_result');
    expect(result?.data).toMatchObject({
      isError: true,
      output: expect.stringContaining('Unrecognized key'),
    });
    expect(runs).toEqual([]);
  });
});

describe('a stop and a start', () => {
  it('P12: ends the running turn as restarted and runs queued messages after the next start', async () => {
    const slow = scripted(() => [{ text: 'a' }, { untilAborted: true }]);
    const first = await openTestYard({ engine: slow });
    const { id } = await first.client().sessions.create();
    const running = await first.client().sessions.send(id, 'one');
    const queued = await first.client().sessions.send(id, 'two');
    await readUntil(first, id, ({ type }) => type === 'text_delta');
    await first.close();

    const second = await openTestYard({ home: first.home, engine: scripted(({ text }) => [{ text }]) });
    const events = await readUntil(second, id, isEndOf(queued.turnId));
    const ends = events.flatMap((event) => (event.type === 'turn_end' ? event.data : []));
    expect(ends).toMatchObject([
      { turnId: running.turnId, outcome: 'failed', error: { code: 'restarted' } },
      { turnId: queued.turnId, outcome: 'completed' },
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it('refuses new messages while it stops', async () => {
    const yard = await openTestYard();
    const { id } = await yard.client().sessions.create();
    const closing = yard.close();
    await expect(yard.client().sessions.send(id, 'late')).rejects.toMatchObject({ code: 'shutting_down' });
    await closing;
  });
});

describe('an engine that sends what cannot be written down', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;

  it.each<[string, (host: EngineHost) => unknown]>([
    ['an event', (host) => host.emit({ type: 'tool_call_end', data: { toolCallId: 'a', input: 10n } })],
    ['a checkpoint', (host) => host.checkpoint({ append: [circle] })],
    ['a checkpoint nobody waits for', (host) => void host.checkpoint({ state: 10n })],
  ])('P11: %s harms no other session', async (_, send) => {
    const engine: Engine = {
      id: 'bad',
      nativeTools: [],
      start: async () => ({
        close: async () => {},
        prompt: async (input, host) => {
          const bad = input.kind === 'message' && input.content === 'bad';
          await (bad ? send(host) : host.emit({ type: 'text_delta', data: { text: 'fine' } }));
          return { outcome: 'completed' };
        },
      }),
    };
    const yard = await openTestYard({ engine });
    const client = yard.client();
    const [one, two] = [await client.sessions.create(), await client.sessions.create()];
    await converse(yard, one.id, 'bad');
    expect(endOf(await converse(yard, two.id, 'good'))).toMatchObject({ outcome: 'completed' });
    expect(endOf(await converse(yard, one.id, 'good'))).toMatchObject({ outcome: 'completed' });
  });
});
