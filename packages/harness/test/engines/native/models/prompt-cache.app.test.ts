import { describe, expect, it } from 'vitest';
import { markCached } from '../../../../src/engines/native/models/prompt-cache.ts';
import type { Message, ModelTools } from '../../../../src/engines/native/models/provider.ts';
import { call, say, serveModel } from '../model-server.ts';
import { engineOn, play } from '../native-turn.ts';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const answer = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const tool = (name: string): ModelTools[number] => ({ type: 'function', name, inputSchema: {} });

/** Places of the marks, tools first. */
function marksOf(prompt: Message[], tools: ModelTools = []): number[][] {
  const marked = markCached({ prompt, tools });
  const places = (all: readonly object[]) =>
    all.flatMap((each, at) => (JSON.stringify(each).includes('cacheControl') ? [at] : []));
  return [places(marked.tools), places(marked.prompt)];
}

describe('what may be cached is marked', () => {
  const system: Message = { role: 'system', content: 'Be brief.' };

  it('behind the last tool, the instructions, the last message, and where the request before ended', () => {
    const prompt = [system, user('1'), answer('2'), user('3'), answer('4'), user('5')];
    expect(marksOf(prompt, [tool('a'), tool('b')])).toEqual([[1], [0, 3, 5]]);
  });

  it('only where there is something', () => {
    expect(marksOf([user('1')])).toEqual([[], [0]]);
    expect(marksOf([system, user('1')], [tool('a')])).toEqual([[0], [0, 1]]);
    expect(marksOf([answer('1'), user('2')])).toEqual([[], [1]]);
  });

  it('on copies: what is stored has no marks', () => {
    const prompt = [system, user('1')];
    const before = structuredClone(prompt);
    markCached({ prompt, tools: [tool('a')] });
    expect(prompt).toEqual(before);
  });

  it('with marks of another kind left as they were', () => {
    const mark = { google: { thoughtSignature: 'x' } };
    const { prompt } = markCached({ prompt: [{ ...user('1'), providerOptions: mark }] });
    expect(prompt[0]?.providerOptions).toEqual({
      ...mark,
      anthropic: { cacheControl: { type: 'ephemeral' } },
    });
  });
});

it('Anthropic gets at most four marks, on the wire', async () => {
  await using server = await serveModel(call('toolu_1', 'mcp__suite__echo', { text: 'a' }), say('Done.'));
  await play(engineOn(server));
  const counts = server.requests.map(
    (request) => JSON.stringify(request).split('"cache_control"').length - 1,
  );
  expect(counts).toEqual([3, 4]);
  expect(server.requests[1]).toMatchObject({
    system: [{ cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ text: 'hi', cache_control: { type: 'ephemeral' } }] },
      { role: 'assistant' },
      { role: 'user', content: [{ type: 'tool_result', cache_control: { type: 'ephemeral' } }] },
    ],
  });
});
