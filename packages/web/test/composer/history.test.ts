import { expect, test } from 'vitest';
import { type Recalled, recall } from '../../src/composer/history.ts';

const said = ['first', 'second'];

test('the arrows go through what was said, and back to what was there', () => {
  const second = recall(undefined, '', said, 1);
  expect(second).toEqual({ back: 1, shown: 'second', typed: '' });
  const first = recall(second as Recalled, 'second', said, 1);
  expect(first).toEqual({ back: 2, shown: 'first', typed: '' });
  expect(recall(first as Recalled, 'first', said, 1)).toBe(undefined);
  expect(recall(first as Recalled, 'first', said, -1)).toEqual({ back: 1, shown: 'second', typed: '' });
  expect(recall(second as Recalled, 'second', said, -1)).toBe('');
});

test('a text that was typed, or recalled and changed in any way, is left alone', () => {
  const recalled = { back: 1, shown: 'second', typed: '' };
  for (const text of ['second!', 'secon', 'second\n', 'mine'])
    for (const step of [1, -1] as const) expect(recall(recalled, text, said, step)).toBe(undefined);
  expect(recall(undefined, 'mine', said, 1)).toBe(undefined);
});
