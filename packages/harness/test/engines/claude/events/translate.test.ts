import { describe, expect, it } from 'vitest';
import { createTranslation } from '../../../../src/engines/claude/events/translate.ts';

/** Everything these messages stand for, one after the other. */
function translate(...messages: unknown[]) {
  const translation = createTranslation();
  return messages.map((message) => translation.take(message));
}

const eventsOf = (...messages: unknown[]) => translate(...messages).flatMap(({ events }) => events);
const event = (fields: object) => ({ type: 'stream_event', event: fields, parent_tool_use_id: null });
const started = (id: string, usage = {}) => event({ type: 'message_start', message: { id, usage } });
const block = (index: number, content_block: object) =>
  event({ type: 'content_block_start', index, content_block });
const delta = (index: number, fields: object) => event({ type: 'content_block_delta', index, delta: fields });
const stopped = { ...event({ type: 'message_stop' }) };
const whole = (id: string, content: object[], more = {}) => ({
  type: 'assistant',
  message: { id, model: 'claude-sonnet-5', content, usage: { input_tokens: 7, output_tokens: 1 } },
  parent_tool_use_id: null,
  uuid: `entry-of-${id}`,
  ...more,
});
const text = (words: string) => ({ type: 'text', text: words });

describe('text', () => {
  it('comes once, from its pieces', () => {
    const events = eventsOf(
      started('m1'),
      block(0, text('')),
      delta(0, { type: 'text_delta', text: 'Hello ' }),
      delta(0, { type: 'text_delta', text: 'you.' }),
      whole('m1', [text('Hello you.')]),
      event({ type: 'content_block_stop', index: 0 }),
      stopped,
    );
    expect(events).toEqual([
      { type: 'text_delta', data: { text: 'Hello ' } },
      { type: 'text_delta', data: { text: 'you.' } },
    ]);
  });

  it('comes whole when there were no pieces, and its cost once', () => {
    expect(eventsOf(whole('m1', [text('One.')]), whole('m1', [text('Two.')]))).toEqual([
      { type: 'text_delta', data: { text: 'One.' } },
      { type: 'usage', data: { inputTokens: 7, outputTokens: 1 } },
      { type: 'text_delta', data: { text: 'Two.' } },
    ]);
  });

  it('comes whole when one block of a message had pieces and the next had none', () => {
    const events = eventsOf(
      started('m1'),
      block(0, text('')),
      delta(0, { type: 'text_delta', text: 'Streamed.' }),
      whole('m1', [text('Streamed.')]),
      whole('m1', [text(' Not streamed.')]),
    );
    expect(events.map(({ data }) => data)).toEqual([{ text: 'Streamed.' }, { text: ' Not streamed.' }]);
  });

  it('of an agent inside the CLI is raw, its calls are calls, its results are results', () => {
    const inner = { parent_tool_use_id: 'toolu_agent' };
    const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'files' };
    expect(
      translate(
        { ...started('m9'), ...inner },
        { ...delta(0, { type: 'text_delta', text: 'inner piece' }), ...inner },
        whole('m1', [text('I look around.'), call], inner),
        { type: 'user', message: { content: [result] }, uuid: 'u1', ...inner },
      ),
    ).toEqual([
      { events: [], results: [] },
      { events: [], results: [] },
      {
        events: [
          {
            type: 'raw',
            data: {
              engine: 'claude',
              message: { type: 'subagent', toolCallId: 'toolu_agent', text: 'I look around.' },
            },
          },
          { type: 'tool_call_start', data: { toolCallId: 'toolu_1', tool: 'claude:Bash' } },
          { type: 'tool_call_end', data: { toolCallId: 'toolu_1', input: { command: 'ls' } } },
          { type: 'usage', data: { inputTokens: 7, outputTokens: 1 } },
        ],
        results: [],
      },
      { events: [], results: [{ toolCallId: 'toolu_1', text: 'files', isError: false }] },
    ]);
  });

  it('that the CLI says for an error is not the model’s', () => {
    const inner = { id: 'x', model: '<synthetic>', content: [text('API Error: 529 Overloaded')] };
    const message = {
      type: 'assistant',
      message: inner,
      error: 'overloaded',
      uuid: 'u1',
      api_error_status: 529,
    };
    const result = { type: 'result', subtype: 'success', is_error: true, terminal_reason: 'api_error' };
    expect(translate(message, result)).toEqual([
      { events: [], results: [], lastUuid: 'u1' },
      {
        events: [],
        results: [],
        ended: {
          outcome: {
            outcome: 'failed',
            error: {
              code: 'provider_overloaded',
              message:
                'The model’s provider is overloaded or limits the rate (529: Overloaded). Wait a moment, then retry the turn.',
            },
          },
        },
      },
    ]);
  });

  it('that a local command answers with is shown', () => {
    const inner = { id: 'x', model: '<synthetic>', content: [text('| context | tokens |')] };
    expect(eventsOf({ type: 'assistant', message: inner })).toEqual([
      { type: 'text_delta', data: { text: '| context | tokens |' } },
    ]);
  });
});

describe('tool calls', () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'mcp__yard__echo', input: {} });

  it('whose pieces come interleaved are kept apart by their index', () => {
    const events = eventsOf(
      started('m1'),
      block(0, call('a')),
      block(1, call('b')),
      delta(1, { type: 'input_json_delta', partial_json: '{"n":2}' }),
      delta(0, { type: 'input_json_delta', partial_json: '{"n":1}' }),
      whole('m1', [{ ...call('b'), input: { n: 2 } }]),
      whole('m1', [{ ...call('a'), input: { n: 1 } }]),
    );
    expect(events).toEqual([
      { type: 'tool_call_start', data: { toolCallId: 'a', tool: 'mcp__yard__echo' } },
      { type: 'tool_call_start', data: { toolCallId: 'b', tool: 'mcp__yard__echo' } },
      { type: 'tool_call_delta', data: { toolCallId: 'b', delta: '{"n":2}' } },
      { type: 'tool_call_delta', data: { toolCallId: 'a', delta: '{"n":1}' } },
      { type: 'tool_call_end', data: { toolCallId: 'b', input: { n: 2 } } },
      { type: 'tool_call_end', data: { toolCallId: 'a', input: { n: 1 } } },
    ]);
  });

  it('whose input is not JSON have the string that was streamed for them', () => {
    const broken = { __unparsedToolInput: { raw: 'cut by the CLI', len: 1_000_000 } };
    const events = eventsOf(
      started('m1'),
      block(0, call('a')),
      block(1, call('b')),
      delta(0, { type: 'input_json_delta', partial_json: '{"a":' }),
      delta(1, { type: 'input_json_delta', partial_json: '{"b":' }),
      whole('m1', [{ ...call('b'), input: broken }]),
      whole('m1', [{ ...call('a'), input: broken }]),
      whole('m2', [{ ...call('c'), input: broken }]),
    );
    expect(events.flatMap(({ type, data }) => (type === 'tool_call_end' ? [data] : []))).toEqual([
      { toolCallId: 'b', input: '{"b":' },
      { toolCallId: 'a', input: '{"a":' },
      { toolCallId: 'c', input: 'cut by the CLI' },
    ]);
  });

  it('end with the whole block, and not without it', () => {
    const open = [started('m1'), block(0, call('a'))];
    const typesOf = (...messages: unknown[]) => eventsOf(...messages).map(({ type }) => type);
    expect([typesOf(...open, whole('m1', [call('a')]), stopped), typesOf(...open, stopped)]).toEqual([
      ['tool_call_start', 'tool_call_end'],
      ['tool_call_start'],
    ]);
  });

  it('have results of text, of parts, and of nothing', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 'a', content: 'plain', is_error: true },
      { type: 'tool_result', tool_use_id: 'b', content: [text('one'), { type: 'image' }, text('two')] },
      {
        type: 'tool_result',
        tool_use_id: 'c',
        content: [{ type: 'tool_reference', tool_name: 'mcp__a__b' }],
      },
      { type: 'tool_result', tool_use_id: 'd' },
      { type: 'tool_result' },
      text('words'),
    ];
    expect(translate({ type: 'user', message: { role: 'user', content }, uuid: 'u1' })).toEqual([
      {
        events: [],
        results: [
          { toolCallId: 'a', text: 'plain', isError: true },
          { toolCallId: 'b', text: 'one\n[image]\ntwo', isError: false },
          { toolCallId: 'c', text: 'mcp__a__b', isError: false },
          { toolCallId: 'd', text: '', isError: false },
        ],
        lastUuid: 'u1',
      },
    ]);
  });

  it('of messages that are told again are not told again', () => {
    const content = [{ type: 'tool_result', tool_use_id: 'a', content: 'again' }];
    expect(translate({ type: 'user', message: { content }, isReplay: true, uuid: 'u1' })).toEqual([
      { events: [], results: [] },
    ]);
  });
});

describe('usage', () => {
  it('counts what was read from and written to a cache as input, and takes the last count', () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 30,
      output_tokens: 1,
    };
    const later = { input_tokens: null, output_tokens: 25, iterations: [] };
    expect(eventsOf(started('m1', usage), event({ type: 'message_delta', usage: later }), stopped)).toEqual([
      {
        type: 'usage',
        data: { inputTokens: 440, outputTokens: 25, cacheReadTokens: 400, cacheWriteTokens: 30 },
      },
    ]);
  });

  it('of the whole conversation sums all models', () => {
    const models = {
      a: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 },
      b: { inputTokens: 10, outputTokens: 20 },
      c: 'nonsense',
    };
    const result = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      modelUsage: models,
      total_cost_usd: 0.5,
    };
    expect(translate(result)[0]?.ended).toEqual({
      outcome: { outcome: 'completed' },
      totalCostUsd: 0.5,
      totalUsage: { inputTokens: 18, outputTokens: 22, cacheReadTokens: 3, cacheWriteTokens: 4 },
    });
  });
});

describe('what stands beside the conversation', () => {
  it('names the conversation when it is new, and what the session can do when that changes', () => {
    const init = { type: 'system', subtype: 'init', session_id: 's1', tools: ['Bash'], mcp_servers: [] };
    const told = translate(
      init,
      { ...init },
      { ...init, tools: [] },
      { ...init, tools: [], session_id: 's2' },
    );
    expect(told.map(({ token, events }) => [token, events.length])).toEqual([
      ['s1', 1],
      [undefined, 0],
      [undefined, 1],
      ['s2', 0],
    ]);
  });

  it('is raw when it is unknown, and silent when it says nothing', () => {
    const unknown = { type: 'brand_new', session_id: 's1', uuid: 'u1', payload: { deep: [1, 2] } };
    expect(
      eventsOf(
        unknown,
        { type: 'system', subtype: 'thinking_tokens', estimated_tokens: 5 },
        { type: 'system', subtype: 'status', status: 'requesting' },
        { type: 'tool_progress', heartbeat: true },
        { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1_800_000_000 } },
      ),
    ).toEqual([
      { type: 'raw', data: { engine: 'claude', message: { type: 'brand_new', payload: { deep: [1, 2] } } } },
      {
        type: 'raw',
        data: {
          engine: 'claude',
          message: {
            note: 'The limit of the Claude plan is used up. It resets at 2027-01-15T08:00:00.000Z.',
            type: 'rate_limit_event',
            rate_limit_info: { status: 'rejected', resetsAt: 1_800_000_000 },
          },
        },
      },
    ]);
  });

  it('is bounded, whatever its size and shape', () => {
    const circle: Record<string, unknown> = {
      type: 'circle',
      list: Array.from({ length: 100_000 }, () => 'x'),
    };
    circle.self = circle;
    const huge = { type: 'huge', text: 'x'.repeat(10_000_000), many: Object.fromEntries(keys(50_000)) };
    const odd = { type: 'odd', when: new Date(0), big: 1n, run: () => 1, not: Number.NaN, none: undefined };
    for (const message of [circle, huge, odd, JSON.parse('{"type":"p","__proto__":{"polluted":true}}')]) {
      const json = JSON.stringify(eventsOf(message));
      expect(json.length).toBeLessThan(40_000);
      expect(JSON.parse(json)).toHaveLength(1);
    }
    expect('polluted' in {}).toBe(false);
  });
});

describe('garbage', () => {
  const values = [null, undefined, 42, 'text', true, [], {}, Number.NaN, [null], { type: 7 }, { type: null }];
  const types = ['stream_event', 'assistant', 'user', 'system', 'result', 'rate_limit_event'];
  const names = [
    'event',
    'message',
    'subtype',
    'session_id',
    'uuid',
    'parent_tool_use_id',
    'errors',
    'modelUsage',
  ];
  const inner = ['type', 'content', 'index', 'delta', 'content_block', 'usage', 'id', 'message'];

  it('never throws, in whatever place it stands', () => {
    const translation = createTranslation();
    const seen = values.map((value) => translation.take(value));
    for (const type of types) {
      for (const value of values) {
        for (const name of names) seen.push(translation.take({ type, [name]: value }));
        for (const name of inner) {
          const holder = { type: 'content_block_delta', role: 'user', content: [value], [name]: value };
          seen.push(translation.take({ type, event: holder, message: holder }));
          seen.push(translation.take({ type, event: { ...holder, type: 'content_block_start' } }));
        }
      }
    }
    for (const { events } of seen) expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  it('of a word on its own is kept', () => {
    expect(eventsOf('Segmentation fault')).toEqual([
      { type: 'raw', data: { engine: 'claude', message: 'Segmentation fault' } },
    ]);
  });
});

function keys(count: number): [string, number][] {
  return Array.from({ length: count }, (_, index) => [`key-${index}`, index]);
}
