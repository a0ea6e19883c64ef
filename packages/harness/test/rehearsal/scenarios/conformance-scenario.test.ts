// The contract between conformance.yaml and the engine conformance suite, case by case, without an engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scenarioPaths } from '../../../src/rehearsal/scenarios/load-scenario.ts';
import { type Rehearsal, serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { ask, assistant, content, simplify, streamEvents, toolResult, user } from '../asking.ts';

const echo = 'mcp__suite__echo';
const echoes = (text: unknown) => ({ call: echo, input: { text } });
const fine = (text: string) => ({ text: JSON.stringify({ text }), isError: false });
const failed = (text: string) => ({ text, isError: true });

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await serveRehearsal({ scenarioPath: scenarioPaths.conformance });
});
afterAll(() => rehearsal.close());

/** Plays a case: what the model says in each step, given the results of the steps before. */
async function play(name: string, rounds: { text: string; isError: boolean }[][]): Promise<unknown[]> {
  const messages: unknown[] = [user(`conformance: ${name}`)];
  const steps: unknown[] = [];
  for (const results of [...rounds, undefined]) {
    const blocks = await content(rehearsal.url, {
      messages,
      tools: [echo, 'mcp__suite__fail', 'mcp__suite__wait'],
    });
    steps.push(simplify(blocks));
    if (!results || !Array.isArray(blocks)) break;
    const calls = blocks.filter((block) => block.type === 'tool_use');
    const answers = calls.map(({ id }, index) =>
      toolResult(id, results[index]?.text, results[index]?.isError),
    );
    messages.push(assistant(blocks), user(answers));
  }
  return steps;
}

describe('what the model says and calls', () => {
  test.each<[string, { text: string; isError: boolean }[][], unknown[]]>([
    ['text', [], [['Hello from the model.']]],
    ['one tool', [[fine('one')]], [['Calling.', echoes('one')], ['Done: one']]],
    [
      'one tool',
      [[failed('It stopped: outcome unknown.')]],
      [['Calling.', echoes('one')], ['Outcome unknown, noted.']],
    ],
    ['parallel tools', [[fine('a'), fine('b')]], [[echoes('a'), echoes('b')], ['Done: a b']]],
    [
      'two step tools',
      [[fine('first')], [fine('second')]],
      [[echoes('first')], [echoes('second')], ['Both done.']],
    ],
    [
      'tool error',
      [[failed('the suite said no')]],
      [[{ call: 'mcp__suite__fail', input: {} }], ['The tool failed.']],
    ],
    [
      'unknown tool',
      [[failed('no such tool')]],
      [[{ call: 'mcp__suite__missing', input: {} }], ['No such tool.']],
    ],
    ['invalid input', [[failed('text: expected string')]], [[echoes(42)], ['Bad input.']]],
    [
      'endless tools',
      [[fine('again')], [fine('again')]],
      [[echoes('again')], [echoes('again')], [echoes('again')]],
    ],
    ['abort in a tool', [], [[{ call: 'mcp__suite__wait', input: {} }]]],
    ['refusal', [], [['I would rather not.']]],
    ['thinking', [], [[{ thinking: expect.any(String) }, 'Thought.']]],
    ['unicode', [], [['héllo 🌍 — 日本語 👩‍👩‍👧']]],
    ['big text', [], [['x'.repeat(1_048_576)]]],
    ['what did I say', [], [['You said: conformance: what did I say']]],
  ])('%s', async (name, rounds, steps) => {
    expect(await play(name, rounds)).toEqual(steps);
  });

  test('a result that a case does not expect shows in the answer', async () => {
    const [, answer] = await play('tool error', [[fine('all good')]]);
    expect(answer).toEqual([
      'Unexpected in step 1, after the results ({"text":"all good"}): conformance: tool error',
    ]);
  });

  test('the first words of the conversation are remembered', async () => {
    const messages = [
      user('conformance: text'),
      assistant('Hello from the model.'),
      user('conformance: what did I say'),
    ];
    expect(simplify(await content(rehearsal.url, { messages }))).toEqual(['You said: conformance: text']);
  });

  test('malformed tool input is broken JSON, and an error after it is answered', async () => {
    const events = await streamEvents(rehearsal.url, {
      messages: [user('conformance: malformed tool input')],
    });
    expect(JSON.stringify(events)).toContain(JSON.stringify('{"text":"one"').slice(1, -1));
    const call = assistant([{ type: 'tool_use', id: 't1', name: echo, input: {} }]);
    const messages = [
      user('conformance: malformed tool input'),
      call,
      user([toolResult('t1', 'not JSON', true)]),
    ];
    expect(simplify(await content(rehearsal.url, { messages }))).toEqual(['Bad JSON.']);
  });
});

describe('how the model fails', () => {
  const tries = async (name: string, times: number) => {
    const seen: unknown[] = [];
    for (let i = 0; i < times; i++) {
      const response = await ask(rehearsal.url, { messages: [user(`conformance: ${name}`)], stream: true });
      seen.push(response.status === 200 ? 200 : [response.status, response.headers.get('retry-after')]);
      await response.text();
    }
    return seen;
  };

  test('overload, limits and credentials', async () => {
    expect([
      await tries('overload then success', 3),
      await tries('rate limited', 2),
      await tries('overload for ever', 4),
      await tries('unauthorized', 1),
    ]).toEqual([
      [[529, '0'], [529, '0'], 200],
      [[429, '1'], 200],
      [
        [529, '0'],
        [529, '0'],
        [529, '0'],
        [529, '0'],
      ],
      [[401, null]],
    ]);
  });

  test('a cut stream and malformed data', async () => {
    const read = async (name: string) => {
      const response = await ask(rehearsal.url, { messages: [user(`conformance: ${name}`)], stream: true });
      return response.text().then(
        (text) => (text.includes('"delta":{"te\n') ? 'malformed' : 'whole'),
        () => 'cut',
      );
    };
    expect([await read('stream cut'), await read('malformed data'), await read('text')]).toEqual([
      'cut',
      'malformed',
      'whole',
    ]);
  });

  test('a refusal has its stop reason', async () => {
    const events = await streamEvents(rehearsal.url, { messages: [user('conformance: refusal')] });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'refusal' } });
  });

  test('the slow stream would last about a minute', async () => {
    const controller = new AbortController();
    const messages = [user('conformance: abort while streaming')];
    const response = await ask(rehearsal.url, { messages, stream: true, signal: controller.signal });
    const startedAt = performance.now();
    let pieces = 0;
    for await (const _ of response.body ?? []) if (++pieces === 6) break;
    controller.abort();
    const perPiece = (performance.now() - startedAt) / 5;
    expect([perPiece > 30, perPiece < 1_000]).toEqual([true, true]);
  });
});
