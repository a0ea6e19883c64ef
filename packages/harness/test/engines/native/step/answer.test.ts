import { describe, expect, it } from 'vitest';
import { createAnswer } from '../../../../src/engines/native/step/answer.ts';
import { type RecordingName, readParts } from '../recording.ts';

function answerOf(name: RecordingName, upTo?: number) {
  const answer = createAnswer();
  for (const part of readParts(name).slice(0, upTo)) answer.add(part);
  return answer;
}

describe('an answer gathered from a recorded stream', () => {
  it('keeps the signature that thoughts must be sent back with', () => {
    const [thought, words] = answerOf('thinking').content();
    expect(thought).toEqual({
      type: 'reasoning',
      text: expect.any(String),
      providerOptions: { anthropic: { signature: expect.any(String) } },
    });
    expect(words).toEqual({ type: 'text', text: 'Thought.' });
  });

  it('keeps words and calls in their order', () => {
    const id = 'toolu_c162481349cb794694c8598c';
    const answer = answerOf('one-tool');
    expect(answer.content()).toEqual([
      { type: 'text', text: 'Calling.' },
      { type: 'tool-call', toolCallId: id, toolName: 'mcp__suite__echo', input: { text: 'one' } },
    ]);
    expect(answer.calls()).toEqual([{ id, name: 'mcp__suite__echo', input: { text: 'one' } }]);
    expect([answer.isFinished(), answer.stopReason()]).toEqual([true, 'tool-calls']);
  });

  it('hands broken input to the host as it came and keeps an object for the provider', () => {
    const answer = answerOf('malformed-tool-input');
    expect(answer.calls().map(({ input }) => input)).toEqual(['{"text":"one"']);
    expect(answer.content()).toEqual([
      expect.objectContaining({ type: 'tool-call', input: { unreadable: '{"text":"one"' } }),
    ]);
  });

  it('is not finished when the stream just ends, and keeps only its words then', () => {
    const parts = readParts('one-tool');
    const answer = answerOf(
      'one-tool',
      parts.findIndex(({ type }) => type === 'finish'),
    );
    expect(answer.isFinished()).toBe(false);
    expect(answer.words()).toEqual([{ type: 'text', text: 'Calling.' }]);
  });

  it('is not worth keeping when it holds thoughts alone', () => {
    const parts = readParts('thinking');
    const answer = answerOf(
      'thinking',
      parts.findIndex(({ type }) => type === 'text-start'),
    );
    expect([answer.isWorthKeeping(), answerOf('thinking').isWorthKeeping()]).toEqual([false, true]);
  });

  it('leaves blanks out, and is not worth keeping when it holds nothing else', () => {
    const answer = createAnswer();
    for (const delta of ['\n\n', 'Well.']) {
      answer.add({ type: 'text-start', id: delta });
      answer.add({ type: 'text-delta', id: delta, delta });
      const isBlank = delta !== 'Well.';
      expect([answer.isWorthKeeping(), answer.content().length]).toEqual(isBlank ? [false, 0] : [true, 1]);
    }
    expect(answer.content()).toEqual([{ type: 'text', text: 'Well.' }]);
  });
});
