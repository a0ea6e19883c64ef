import { describe, expect, it } from 'vitest';
import {
  type Entry,
  toAnswerEntry,
  toPartialEntry,
  toResultsEntry,
  toUserEntry,
} from '../../../../src/engines/native/transcript/entries.ts';
import { createTranscript } from '../../../../src/engines/native/transcript/transcript.ts';

const call = (id: string) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: 'mcp__t__x',
  input: {},
});
const text = (words: string) => ({ type: 'text' as const, text: words });

/** What a store gives back. */
const stored = (entries: Entry[]): unknown[] => JSON.parse(JSON.stringify(entries));

describe('the transcript', () => {
  it('starts with the instructions, when there are any', () => {
    expect(createTranscript('Be brief.', []).prompt()).toEqual([{ role: 'system', content: 'Be brief.' }]);
    expect(createTranscript('', []).prompt()).toEqual([]);
  });

  it('says where the conversation stands', () => {
    const lastStateOf = (...entries: Entry[]) => createTranscript('Be brief.', stored(entries)).lastState();
    expect(lastStateOf()).toBe('empty');
    expect(lastStateOf(toUserEntry('hi'))).toBe('unanswered');
    expect(lastStateOf(toUserEntry('hi'), toAnswerEntry([text('hello')]))).toBe('answered');
    expect(lastStateOf(toUserEntry('hi'), toPartialEntry([text('hel')]))).toBe('broken off');
    expect(lastStateOf(toUserEntry('hi'), toAnswerEntry([call('a')]))).toBe('calls open');
    const results = toResultsEntry([{ id: 'a', name: 'mcp__t__x' }], []);
    expect(lastStateOf(toUserEntry('hi'), toAnswerEntry([call('a')]), results)).toBe('unanswered');
  });

  it('is the same when it grows and when it is read back', () => {
    const entries = [
      toUserEntry([text('one'), text('two')]),
      toAnswerEntry([text('Calling.'), call('a'), call('b')]),
      toResultsEntry([{ id: 'a', name: 'mcp__t__x' }], []),
      toPartialEntry([text('Well')]),
      { withdrawn: true as const },
      toPartialEntry([text('So')]),
      toUserEntry('go on'),
    ];
    const grown = createTranscript('Be brief.', []);
    for (const entry of entries) grown.append(entry);
    expect(createTranscript('Be brief.', stored(entries)).prompt()).toEqual(grown.prompt());
    expect(grown.prompt().map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(grown.prompt()[4]).toEqual({ role: 'assistant', content: [text('So')] });
  });

  it('withdraws nothing but a broken-off answer', () => {
    const transcript = createTranscript('', stored([toUserEntry('hi'), { withdrawn: true }]));
    expect(transcript.prompt()).toEqual([{ role: 'user', content: [text('hi')] }]);
  });

  it('gives each open call one result, in the order of the calls', () => {
    const transcript = createTranscript(
      '',
      stored([toUserEntry('hi'), toAnswerEntry([call('a'), call('b'), call('c')])]),
    );
    const done = { tool: 'mcp__t__x', isError: false };
    const entry = toResultsEntry(transcript.openCalls(), [
      { ...done, toolCallId: 'b', text: 'B' },
      { ...done, toolCallId: 'a', text: 'A', isError: true },
      { ...done, toolCallId: 'another', text: 'not asked for' },
    ]);
    const part = { type: 'tool-result', toolName: 'mcp__t__x' };
    expect(entry).toEqual({
      message: {
        role: 'tool',
        content: [
          { ...part, toolCallId: 'a', output: { type: 'error-text', value: 'A' } },
          { ...part, toolCallId: 'b', output: { type: 'text', value: 'B' } },
          {
            ...part,
            toolCallId: 'c',
            output: { type: 'error-text', value: expect.stringContaining('Outcome unknown') },
          },
        ],
      },
    });
  });

  it('refuses stored entries it cannot read', () => {
    expect(() => createTranscript('', [{ message: { role: 'user', content: 'hi' } }])).toThrow(
      expect.objectContaining({ code: 'database_corrupt' }),
    );
  });
});
