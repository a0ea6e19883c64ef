import { expect, test } from 'vitest';
import { isTooMuch } from '../../src/markdown/highlight.tsx';

test('what is long, or has a very long line, is not coloured', () => {
  const line = 'const answer = 42;\n';
  expect(isTooMuch(line.repeat(400))).toBe(false);
  expect(isTooMuch(line.repeat(500))).toBe(true);
  expect(isTooMuch(`${line}${'('.repeat(1_001)}\n`)).toBe(true);
});
