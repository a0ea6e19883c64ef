// The real provider as the judge of the wire: what it reads from a rehearsal is what the scenario said.
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, jsonSchema, type ModelMessage, streamText, type ToolSet } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadScenario, scenarioPaths } from '../../src/rehearsal/scenarios/load-scenario.ts';
import { type Rehearsal, serveRehearsal } from '../../src/rehearsal/serve.ts';

let rehearsal: Rehearsal;
let scripted: ReturnType<typeof createAnthropic>;
beforeAll(async () => {
  rehearsal = await serveRehearsal({ scenarios: [await loadScenario(scenarioPaths.conformance)] });
  scripted = createAnthropic({ baseURL: `${rehearsal.url}/v1`, apiKey: 'any' });
});
afterAll(() => rehearsal.close());

const text = {
  type: 'object' as const,
  properties: { text: { type: 'string' as const } },
  required: ['text'],
};
const tools: ToolSet = { mcp__suite__echo: { description: 'Says it back', inputSchema: jsonSchema(text) } };
const call = () => ({ model: scripted('claude-sonnet-5'), tools, maxRetries: 0 });

async function stream(messages: ModelMessage[]) {
  const failures: unknown[] = [];
  const result = streamText({ ...call(), messages, onError: ({ error }) => void failures.push(error) });
  let text = '';
  try {
    for await (const part of result.stream) if (part.type === 'text-delta') text += part.text;
  } catch (error) {
    failures.push(error);
  }
  return { text, failures, result };
}

const said = (name: string): ModelMessage[] => [{ role: 'user', content: `conformance: ${name}` }];

test('it reads text, split characters and a mebibyte', async () => {
  const [text, unicode, big] = await Promise.all(
    ['text', 'unicode', 'big text'].map((name) => stream(said(name))),
  );
  expect([text?.text, unicode?.text, big?.text.length]).toEqual([
    'Hello from the model.',
    'héllo 🌍 — 日本語 👩‍👩‍👧',
    1_048_576,
  ]);
});

test('it reads parallel calls, and its transcript with their results is accepted', async () => {
  const { result } = await stream(said('parallel tools'));
  const calls = await result.toolCalls;
  expect(calls.map(({ toolName, input }) => [toolName, input])).toEqual([
    ['mcp__suite__echo', { text: 'a' }],
    ['mcp__suite__echo', { text: 'b' }],
  ]);
  const results = calls.map(({ toolCallId, toolName, input }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'text' as const, value: JSON.stringify(input) },
  }));
  const answered: ModelMessage[] = [
    ...said('parallel tools'),
    ...(await result.response).messages,
    { role: 'tool', content: results },
  ];
  expect((await stream(answered)).text).toBe('Done: a b');
  const missing = await stream([...answered.slice(0, 2), { role: 'tool', content: results.slice(1) }]);
  expect(missing.failures).toHaveLength(1);
});

test('it reads signed thinking and sends it back unchanged', async () => {
  const { result } = await stream(said('thinking'));
  const answer = (await result.response).messages;
  expect(await result.reasoningText).toBe('The suite wants to see a thought before the answer.');
  const next = await generateText({ ...call(), messages: [...said('thinking'), ...answer, ...said('text')] });
  expect(next.text).toBe('Hello from the model.');
});

test('it reads the whole message when nothing is streamed', async () => {
  const { text, finishReason, usage } = await generateText({ ...call(), messages: said('text') });
  expect([text, finishReason, usage.outputTokens]).toEqual(['Hello from the model.', 'stop', 6]);
});

test('it sees each fault as what it is', async () => {
  const names = ['overload for ever', 'unauthorized', 'stream cut', 'malformed data', 'refusal'];
  const [overload, unauthorized, cut, malformed, refusal] = await Promise.all(
    names.map((name) => stream(said(name))),
  );
  expect([
    overload?.failures,
    unauthorized?.failures,
    cut?.failures.length,
    cut?.text,
    malformed?.failures.length,
    await refusal?.result.finishReason,
  ]).toEqual([
    [expect.objectContaining({ statusCode: 529, isRetryable: true, message: 'Overloaded' })],
    [expect.objectContaining({ statusCode: 401, isRetryable: false })],
    1,
    'This sentence is cut',
    1,
    'content-filter',
  ]);
});

test('it retries an overload by itself until the script relents', async () => {
  const before = rehearsal.requests();
  const { text } = await generateText({ ...call(), maxRetries: 3, messages: said('overload then success') });
  expect([text, rehearsal.requests() - before]).toEqual(['Recovered.', 3]);
});
