import { describe, expect, test } from 'vitest';
import { codeWithin, cutAt, quoteWithin, toSection } from '../../../src/core/lib/bounded-markdown.ts';
import { createRandom } from '../protected-paths/path-machine.ts';

describe('quoteWithin', () => {
  test('keeps what fits, marks what it cuts, and says nothing where there is no room', () => {
    expect(quoteWithin('one\ntwo', 100)).toBe('> one\n> two');
    expect(quoteWithin('x'.repeat(100), 60)).toMatch(/^> x{10,}\n>\n> ⟨… \d+ characters left out⟩$/);
    expect(quoteWithin('x'.repeat(100), 20)).toBe('');
    expect(quoteWithin(' \n', 100)).toBe('> –');
    expect(quoteWithin('', 2)).toBe('');
  });

  test('is never longer than its room, every line is a quotation, and what is left out is counted', () => {
    const random = createRandom(3);
    const pieces = ['word ', '\n', '```', '`', '🛒', '\u202e', '<b>', '\ud83d', '[a]: b', 'x'.repeat(30)];
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: random(80) }, () => pieces[random(pieces.length)]).join('');
      const room = random(400);
      const quote = quoteWithin(text, room);
      expect([text, room, quote.length <= room]).toEqual([text, room, true]);
      expect(quote === '' || quote.split('\n').every((line) => line.startsWith('>'))).toBe(true);
    }
  });

  test('cuts between characters', () => {
    for (const room of [60, 61, 62, 63]) expect(quoteWithin('🛒'.repeat(100), room)).not.toContain('U+D8');
  });
});

test('codeWithin is one line of code that ends where it should', () => {
  expect([
    codeWithin('a\n b', 10),
    codeWithin('abcdef', 3),
    codeWithin('a`b', 10),
    codeWithin('', 5),
  ]).toEqual(['`a b`', '`abc…`', '`` a`b ``', '–']);
});

test('cutAt takes no half of a character', () => {
  expect(['a🛒', '🛒🛒', 'ab'].map((text) => cutAt(text, 2))).toEqual(['a', '🛒', 'ab']);
});

describe('toSection', () => {
  const inLines = { each: 1, gap: '\n', showsRemainder: true };

  test('takes parts from the first on while they fit, and counts the others', () => {
    const parts = Array.from(
      { length: 9 },
      (_, index) => (room: number) => (room < 10 ? '' : `- line ${index}`),
    );
    expect(toSection('Title', parts, { ...inLines, room: 90 })).toEqual({
      text: '## Title\n\n- line 0\n- line 1\n- line 2\n- line 3\n\n… and 5 more.',
      shown: 4,
    });
    expect(toSection('Title', parts.slice(0, 2), { ...inLines, room: 90 })).toEqual({
      text: '## Title\n\n- line 0\n- line 1',
      shown: 2,
    });
    expect(toSection('Title', parts, { ...inLines, room: 30 })).toEqual({ text: '', shown: 0 });
    expect(toSection('Title', [], { ...inLines, room: 1_000 })).toEqual({ text: '', shown: 0 });
  });

  test('is never longer than its room, when its parts keep to theirs', () => {
    const part = (room: number) => 'x'.repeat(room);
    for (let room = 0; room < 300; room++) {
      for (const each of [0.3, 1]) {
        const { text } = toSection('Title', Array(20).fill(part), { ...inLines, each, room });
        expect(text.length).toBeLessThanOrEqual(room);
      }
    }
  });
});
