import { describe, expect, it } from 'vitest';
import { toEvents } from '../../../../src/engines/native/step/translate.ts';
import { type RecordingName, readParts } from '../recording.ts';

const eventsOf = (name: RecordingName) => readParts(name).flatMap(toEvents);

describe('translate, on recorded streams', () => {
  it('gives the words of a plain answer and what it used', () => {
    expect(eventsOf('text')).toEqual([
      { type: 'text_delta', data: { text: 'Hello from the model.' } },
      { type: 'usage', data: { inputTokens: 94, outputTokens: 6 } },
    ]);
  });

  it('tells thoughts from words and hides the signature', () => {
    expect(eventsOf('thinking')).toEqual([
      { type: 'thinking_delta', data: { text: 'The suite wants to see a thought before ' } },
      { type: 'thinking_delta', data: { text: 'the answer.' } },
      { type: 'text_delta', data: { text: 'Thought.' } },
      { type: 'usage', data: { inputTokens: 95, outputTokens: 15 } },
    ]);
  });

  it('opens, fills and ends a call', () => {
    const toolCallId = 'toolu_c162481349cb794694c8598c';
    expect(eventsOf('one-tool')).toEqual([
      { type: 'text_delta', data: { text: 'Calling.' } },
      { type: 'tool_call_start', data: { toolCallId, tool: 'mcp__suite__echo' } },
      { type: 'tool_call_delta', data: { toolCallId, delta: '{"text":"one"}' } },
      { type: 'tool_call_end', data: { toolCallId, input: { text: 'one' } } },
      { type: 'usage', data: { inputTokens: 95, outputTokens: 6 } },
    ]);
  });

  it('keeps parallel calls apart by their ids', () => {
    const ends = eventsOf('parallel-tools').filter((event) => event.type === 'tool_call_end');
    expect(ends.map(({ data }) => data.input)).toEqual([{ text: 'a' }, { text: 'b' }]);
    expect(new Set(ends.map(({ data }) => data.toolCallId)).size).toBe(2);
  });

  it('hands broken JSON on as the string it came as', () => {
    const toolCallId = 'toolu_b938dcdc0abeac0ca2b91d18';
    expect(eventsOf('malformed-tool-input')).toEqual([
      { type: 'tool_call_start', data: { toolCallId, tool: 'mcp__suite__echo' } },
      { type: 'tool_call_delta', data: { toolCallId, delta: '{"text":"one"' } },
      { type: 'tool_call_end', data: { toolCallId, input: '{"text":"one"' } },
      { type: 'usage', data: { inputTokens: 98, outputTokens: 4 } },
    ]);
  });
});

describe('translate, on single parts', () => {
  const noTokens = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };

  it('counts cached tokens as input, and beside it', () => {
    const usage = {
      inputTokens: { total: 30, noCache: 7, cacheRead: 20, cacheWrite: 3 },
      outputTokens: { total: 5, text: undefined, reasoning: undefined },
    };
    const finishReason = { unified: 'stop' as const, raw: 'end_turn' };
    expect(toEvents({ type: 'finish', finishReason, usage })).toEqual([
      {
        type: 'usage',
        data: { inputTokens: 30, outputTokens: 5, cacheReadTokens: 20, cacheWriteTokens: 3 },
      },
    ]);
  });

  it('invents no usage for a stream that was cut', () => {
    const usage = {
      inputTokens: noTokens,
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    };
    const finishReason = { unified: 'interrupted' as const, raw: undefined };
    expect(toEvents({ type: 'finish', finishReason, usage })).toEqual([]);
  });

  it('gives no event for an empty delta', () => {
    expect(toEvents({ type: 'text-delta', id: '0', delta: '' })).toEqual([]);
    expect(toEvents({ type: 'reasoning-delta', id: '0', delta: '' })).toEqual([]);
  });
});
