import { expect, test } from 'vitest';
import { toRetryLabel, toStopWords } from '../../src/transcript/format-stop.ts';

/** As an older server stored it. */
const stored = 'The server stopped during this turn. Retry it to go on from the last step.';
const message = 'The server stopped during this turn. Retry to continue from the last step.';

test('words and button agree: only what can be retried says so', () => {
  expect(toStopWords(message, { isLatest: true })).toBe(message);
  expect(toStopWords(message, { isLatest: false })).toBe('The server stopped during this turn.');
  expect(toStopWords(stored, { isLatest: false })).toBe('The server stopped during this turn.');
  const error = { code: 'interrupted', message } as const;
  expect(toRetryLabel({ outcome: 'interrupted', error })).toBe('Retry');
  expect(toRetryLabel({ outcome: 'interrupted' })).toBe('Go on');
  expect(toRetryLabel({ outcome: 'failed' })).toBe('Retry');
});
