// Holds docs/rehearsal.md to the code: its examples run, and its tables name every key.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseScenario } from '../../src/rehearsal/scenarios/load-scenario.ts';
import { Scenario, StopReason } from '../../src/rehearsal/scenarios/scenario.ts';
import { ask, assistant, content, serveText, simplify, toolResult, user } from './asking.ts';

const guide = await readFile(new URL('../../../../docs/rehearsal.md', import.meta.url), 'utf8');
const examples = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1] ?? '');

/** Asks, answers every call with the given result, and so on; what the model said in each step. */
async function play(yaml: string, words: string, tools: string[], rounds: string[]): Promise<unknown[]> {
  const rehearsal = await serveText(yaml);
  const messages: unknown[] = [user(words)];
  const steps: unknown[] = [];
  for (const result of [...rounds, undefined]) {
    const blocks = await content(rehearsal.url, { messages, tools });
    steps.push(simplify(blocks));
    if (result === undefined || !Array.isArray(blocks)) break;
    const calls = blocks.filter((block) => block.type === 'tool_use');
    messages.push(assistant(blocks), user(calls.map(({ id }) => toolResult(id, result))));
  }
  await rehearsal.close();
  return steps;
}

test('every example is a valid scenario', () => {
  expect(examples.map((yaml) => parseScenario(yaml, 'guide.yaml').rules.length)).toEqual([4, 3, 2]);
});

test('the first example adds', async () => {
  expect(await play(examples[0] ?? '', 'Add 2 and 3', ['mcp__math__add'], ['{"sum":5}'])).toEqual([
    ['I will add them.', { call: 'mcp__math__add', input: { a: '2', b: '3' } }],
    ['The sum is 5.'],
  ]);
});

test('the second example compares', async () => {
  const price = (item: string) => ({ call: 'mcp__shop__price', input: { item } });
  expect(await play(examples[1] ?? '', 'compare them', [], ['{"euro":3}', '{}'])).toEqual([
    [{ thinking: expect.any(String) }, price('tea'), price('coffee')],
    [{ call: 'mcp__shop__note', input: { prices: '3 3' } }],
    ['Noted.'],
  ]);
});

test('the third example has a bad day', async () => {
  const rehearsal = await serveText(examples[2] ?? '');
  const seen: unknown[] = [];
  for (let i = 0; i < 4; i++) {
    const response = await ask(rehearsal.url, { messages: [user('write the report')], stream: true });
    const text = response.text().then(
      (body) => body.includes('message_stop'),
      () => 'cut',
    );
    seen.push([response.status, await text]);
  }
  expect(seen).toEqual([
    [529, false],
    [529, false],
    [200, 'cut'],
    [200, true],
  ]);
  await rehearsal.close();
});

test('the tables name every key of the schema and every stop reason', () => {
  const schema = z.toJSONSchema(Scenario, { io: 'input' });
  const named = new Set([...guide.matchAll(/`([^`\n]+)`/g)].flatMap((match) => (match[1] ?? '').split('.')));
  const missing = [...keysIn(schema), ...StopReason.options].filter((key) => !named.has(key));
  expect(missing).toEqual([]);
});

function keysIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const properties = 'properties' in schema ? schema.properties : undefined;
  const own = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return [...own, ...Object.values(schema).flatMap(keysIn)];
}
