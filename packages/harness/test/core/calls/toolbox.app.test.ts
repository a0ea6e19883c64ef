import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, defineToolkit, type Event } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Hooks } from '../../../src/core/calls/hooks.ts';
import { createToolRegistry } from '../../../src/core/calls/tool-registry.ts';
import { converse, memoryDirectory, openTestYard, quiet } from '../../support/yard.ts';
import { add, spin } from './bad-tool.ts';

const circle: Record<string, unknown> = {};
circle.self = circle;

/** Tools that go wrong in every way there is. */
const badTools = [
  tool('throws', () => Promise.reject(new Error('secret detail'))),
  tool('throws_nothing', () => Promise.reject(undefined)),
  tool('hangs', () => new Promise(() => {}), 200),
  tool('circular', async () => ({ value: circle })),
  tool('huge', async () => ({ value: 'x'.repeat(70 * 1024 * 1024) })),
  tool('breaks_its_schema', async () => ({ other: 1 }) as unknown as { value: unknown }),
  tool('returns_nothing', async () => undefined as unknown as { value: unknown }),
  tool('has_a_bigint', async () => ({ value: 10n })),
];

function tool(name: string, run: () => Promise<{ value: unknown }>, deadlineMs?: number) {
  return defineTool({
    name,
    title: name,
    description: name,
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({}),
    output: z.strictObject({ value: z.unknown().refine((value) => value !== undefined) }),
    ...(deadlineMs && { deadlineMs }),
    run,
  });
}

/** Calls the tool that the message names, with the input after it; then repeats what it heard. */
const caller = createScriptedEngine({
  reply: ({ text, outcomes }) => {
    const [name, input = '{}'] = text.split(/ (.*)/s);
    if (outcomes.length > 0) return [{ text: outcomes[0]?.text ?? '' }];
    return [{ calls: [{ tool: `mcp__${name}`, input: JSON.parse(input) }] }];
  },
});

const good = tool('good', async () => ({ value: 5 }));
const kit = defineToolkit({ name: 'bad', server: 'suite', tools: [...badTools, good, spin, add] });
const resultOf = (events: readonly Event[]) => events.find((event) => event.type === 'tool_result')?.data;

async function call(text: string, hooks: Hooks = {}) {
  const logged: unknown[] = [];
  const logger = { ...quiet, error: (_: string, data?: object) => logged.push(data) };
  const yard = await openTestYard({ engine: caller, toolkits: [kit], hooks, logger });
  const { id } = await yard.client().sessions.create();
  const events = await converse(yard, id, text);
  return { yard, id, events, result: resultOf(events), logged };
}

describe('a tool that goes wrong', () => {
  it.each([
    ['throws', 'The tool mcp__suite__throws failed. The person can find the cause in the server log.'],
    ['throws_nothing', 'The tool mcp__suite__throws_nothing failed.'],
    ['circular', 'The tool mcp__suite__circular failed.'],
    ['breaks_its_schema', 'The tool mcp__suite__breaks_its_schema failed.'],
    ['returns_nothing', 'The tool mcp__suite__returns_nothing failed.'],
    ['has_a_bigint', 'The tool mcp__suite__has_a_bigint failed.'],
  ])('because it %s gives the model one sentence and the log the cause', async (name, sentence) => {
    const { result, logged, events } = await call(`suite__${name}`);
    expect(result).toMatchObject({ isError: true, output: expect.stringContaining(sentence) });
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain('secret detail');
  });

  it('because it hangs is given up at its deadline', async () => {
    const { result } = await call('suite__hangs');
    expect(result).toMatchObject({ isError: true, output: expect.stringContaining('timed out after 0.2 s') });
  });

  it('because it spins is ended at its deadline, and the server stays well meanwhile', async () => {
    const ticks: number[] = [];
    const ticking = setInterval(() => ticks.push(performance.now()), 20);
    const { result } = await call('suite__spin');
    clearInterval(ticking);
    expect(result).toMatchObject({ isError: true, output: expect.stringContaining('timed out after 0.3 s') });
    expect(ticks.length).toBeGreaterThan(5);
  });

  it('because it says too much is cut, and the whole can be read', async () => {
    const { result, yard, id } = await call('suite__huge');
    expect(result).toMatchObject({ isError: false, truncated: true });
    const text = String(result && 'output' in result ? result.output : '');
    expect(text.length).toBeLessThan(52_000);
    const outputId = text.match(/out_[0-9a-f]{24}/)?.[0] ?? '';
    const piece = await yard
      .client()
      .outputs.read(outputId, { sessionId: id, offset: 1_000_000, length: 10 });
    expect(piece).toEqual({
      text: 'xxxxxxxxxx',
      offset: 1_000_000,
      totalBytes: 67_108_864,
      nextOffset: 1_000_010,
    });
    const events = await converse(yard, id, `toolyard__read_output {"output_id":"${outputId}","length":20}`);
    expect(events.findLast((event) => event.type === 'tool_result')?.data).toMatchObject({ isError: false });
    const other = await yard.client().sessions.create();
    await expect(yard.client().outputs.read(outputId, { sessionId: other.id })).rejects.toMatchObject({
      code: 'output_not_found',
    });
  });

  it('works in a worker of its own when it asks for one', async () => {
    const { result } = await call('suite__add {"a":2,"b":3}');
    expect(result).toMatchObject({ isError: false, output: { sum: 5 } });
  });
});

describe('hooks', () => {
  const add23 = 'suite__add {"a":2,"b":3}';

  it('may deny, and the model hears why', async () => {
    const { result } = await call(add23, { beforeToolCall: () => ({ deny: 'House rule.' }) });
    expect(result).toMatchObject({ isError: true, output: 'House rule.' });
  });

  it('may narrow the input, which is parsed again', async () => {
    const narrowed = await call(add23, { beforeToolCall: () => ({ input: { a: 1, b: 1 } }) });
    expect(narrowed.result).toMatchObject({ output: { sum: 2 } });
    const broken = await call(add23, { beforeToolCall: () => ({ input: { a: 'x' } }) });
    expect(broken.result).toMatchObject({ isError: true });
  });

  it('that fail deny before, and withhold the result after', async () => {
    const throws = () => {
      throw new Error('secret detail');
    };
    expect((await call(add23, { beforeToolCall: throws })).result).toMatchObject({ isError: true });
    const after = await call(add23, { afterToolCall: throws });
    expect(after.result).toMatchObject({ isError: true, output: expect.stringContaining('withheld') });
  });

  it('may redact what the model and the log see, and hear every event', async () => {
    const heard: Event[] = [];
    const { result, events } = await call(add23, {
      afterToolCall: (_, outcome) => ({ ...outcome, text: '{"sum":"*"}', output: { sum: '*' } }),
      onEvent: (event) => heard.push(event),
    });
    expect(result).toMatchObject({ output: { sum: '*' } });
    expect(heard.slice(0, events.length)).toEqual(events);
  });
});

describe('names', () => {
  it.each([
    ['ping', 'ping', 'Two tools have the name'],
    ['ping', 'p1ng_', 'look alike'],
    ['list_all', 'l1st_all', 'look alike'],
    ['list_all', 'lost_all', undefined],
    ['list_all', '1ist_all', 'a tool name is'],
    ['total', 'tota1', 'look alike'],
    ['o_k', '0_k', 'a tool name is'],
    ['f_oo', 'f_0o', 'look alike'],
    ['learn', 'leam', 'look alike'],
    ['a_b', 'ab', 'look alike'],
  ])('A4, A5: %s beside %s', (first, second, problem) => {
    const build = () =>
      createToolRegistry([
        defineToolkit({
          name: 'k',
          tools: [first, second].map((name) => tool(name, async () => ({ value: 1 }))),
        }),
      ]);
    if (problem) expect(build).toThrow(problem);
    else expect(build().size).toBe(2);
  });

  it('switches a toolkit off as a whole', async () => {
    const home = await memoryDirectory();
    await writeFile(join(home, 'config.yaml'), 'toolkits: { sessions: false, agents: false, tasks: false }');
    const yard = await openTestYard({ home });
    const { items } = await yard.client().tools.list();
    expect(items.map(({ name }) => name)).toEqual([
      'mcp__toolyard__ping',
      'mcp__toolyard__get_server_info',
      'mcp__toolyard__read_output',
    ]);
  });
});

describe('headless', () => {
  const modes = ['default', 'acceptEdits', 'plan', 'bypassPermissions'] as const;
  const tiers = ['auto', 'session', 'always'] as const;
  const unattended = ['deny', 'park'] as const;
  const cases = modes.flatMap((mode) =>
    tiers.flatMap((tier) => unattended.map((setting) => [mode, tier, setting] as const)),
  );

  it.each(cases)('never hangs: mode %s, tier %s, unattended %s', async (mode, tier, setting) => {
    const home = await memoryDirectory();
    const perTool = `perTool: { mcp__suite__good: ${tier} }`;
    await writeFile(
      join(home, 'config.yaml'),
      `toolApproval: { approvalTimeout: 60, unattended: ${setting}, ${perTool} }`,
    );
    const yard = await openTestYard({ home, engine: caller, toolkits: [kit] });
    const { id } = await yard.client().sessions.create({ mode });
    const asks = tier !== 'auto' && (mode === 'default' || mode === 'plan');
    if (asks && setting === 'park') {
      await yard.client().sessions.send(id, 'suite__good');
      const parked = async () => (await yard.client().approvals.list({ state: 'pending' })).items;
      await expect.poll(parked).toMatchObject([{ expiresAt: null }]);
      expect(await yard.client().sessions.get(id)).toMatchObject({ status: 'waiting' });
      return;
    }
    const events = await converse(yard, id, 'suite__good');
    const text = events.flatMap((event) => (event.type === 'text_delta' ? event.data.text : [])).join('');
    expect(text).toMatch(asks ? /expired/ : /"value":5/);
  });
});
