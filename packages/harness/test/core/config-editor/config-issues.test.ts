import { expect, test } from 'vitest';
import { z } from 'zod';
import { formatIssue } from '../../../src/core/config-editor/config-change.ts';

function saidOf(schema: z.ZodType, value: unknown): string {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue ? formatIssue(issue) : 'nothing';
}

test.each([
  [z.int().min(1), 0, 'it must be at least 1'],
  [z.int().max(600_000), 700_000, 'it must be at most 600,000'],
  [z.number().positive(), 0, 'it must be more than 0'],
  [z.number().lt(5), 5, 'it must be less than 5'],
  [z.int(), 1.5, 'it must be a whole number'],
  [z.number(), 'x', 'it must be a number'],
  [z.boolean(), 'x', 'it must be true or false'],
  [z.string().min(2), 'x', 'it must have at least 2 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'it must have at most 1 entries'],
  [z.enum(['a', 'b']), 'c', 'it must be one of a, b'],
  [z.string().regex(/^x$/, 'not an x'), 'y', 'not an x'],
])('what is wrong is said in words (%#)', (schema, value, words) => {
  expect(saidOf(schema, value)).toBe(words);
});
