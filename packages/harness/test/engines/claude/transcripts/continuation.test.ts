import type { SettledCall } from '@toolyard/sdk';
import { readContinuationNote } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { toContinuation, toState } from '../../../../src/engines/claude/transcripts/continuation.ts';

const message = { uuid: 'm1', content: 'write it down' };
const state = toState({ message });
const call: SettledCall = {
  toolCallId: 'c1',
  tool: 'claude:Bash',
  input: { command: 'echo a has this result:' },
  text: 'Outcome unknown: the server stopped.',
  isError: true,
  outcome: 'unknown',
};
const facts = (uuids: string[], results: [string, { isError: boolean; text: string }][] = []) => ({
  uuids: new Set(uuids),
  results: new Map(results),
});
const textOf = (sent: ReturnType<typeof toContinuation>) => JSON.stringify(sent?.content);

test('a turn that was answered has nothing to be told', () => {
  expect(toContinuation(toState({ message, answered: true }), [call], facts(['m1']))).toBeUndefined();
});

test('a message that the CLI never wrote down is sent again under its id', () => {
  expect(toContinuation(state, [], undefined)).toEqual(message);
  expect(toContinuation(state, [], facts(['other']))).toEqual(message);
});

test('P5: a message that is sent again carries what was done since, with what was called', () => {
  const sent = toContinuation(state, [call], facts([]));
  expect(sent).toEqual({
    uuid: 'm1',
    content: [
      { type: 'text', text: 'write it down' },
      {
        type: 'text',
        text: expect.stringContaining('c1 of Bash with the input {"command":"echo a has this result:"}'),
      },
    ],
  });
  const note = Array.isArray(sent?.content) && sent.content[1]?.type === 'text' ? sent.content[1].text : '';
  expect(readContinuationNote(note)).toEqual([
    { toolCallId: 'c1', tool: 'Bash', text: 'Outcome unknown: the server stopped.', isError: true },
  ]);
});

test('a call that the transcript holds is told of without its input, and not at all once the result is there', () => {
  const closed = facts(['m1'], [['c1', { isError: true, text: 'closed by the CLI' }]]);
  expect(textOf(toContinuation(state, [call], closed))).not.toContain('with the input');
  expect(textOf(toContinuation(state, [call], closed))).toContain('c1 of Bash has an unknown outcome');
  const held = facts(['m1'], [['c1', { isError: false, text: 'done' }]]);
  expect(textOf(toContinuation(state, [call], held))).not.toContain('c1');
});
