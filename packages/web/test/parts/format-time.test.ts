import { describe, expect, it } from 'vitest';
import { isInFuture, toDuration, toExactTime, toRelativeTime } from '../../src/parts/format-time.ts';

const now = Date.parse('2026-11-15T12:00:00.000Z');
const ago = (ms: number) => new Date(now - ms).toISOString();
const minute = 60_000;
const hour = 60 * minute;

describe('a moment in words', () => {
  it.each([
    ['now', 0],
    ['now', 59_000],
    ['1 min', minute],
    ['59 min', hour - 1],
    ['1 h', hour],
    ['23 h', 24 * hour - 1],
    ['6 d', 7 * 24 * hour - 1],
  ])('is "%s" after %d ms', (words, age) => {
    expect(toRelativeTime(ago(age), now)).toBe(words);
  });

  it('names the day when it is a week ago, and the year when it is another', () => {
    expect(toRelativeTime('2026-11-02T12:00:00.000Z', now)).toMatch(/^(2 Nov|Nov 2)$/);
    expect(toRelativeTime('2025-11-02T12:00:00.000Z', now)).toMatch(/2025/);
  });

  it('that lies a little ahead is now, for clocks differ; far ahead it says so', () => {
    expect(toRelativeTime(ago(-minute), now)).toBe('now');
    expect(toRelativeTime(ago(-hour), now)).toBe('in the future');
    expect([isInFuture(ago(-minute), now), isInFuture(ago(-hour), now)]).toEqual([false, true]);
  });

  it('that is none does not break the page', () => {
    expect([toRelativeTime('soon', now), toExactTime('soon')]).toEqual(['unknown time', 'soon']);
  });
});

describe('a duration', () => {
  it.each([
    ['7 ms', 7],
    ['1.4 s', 1_440],
    ['2 min 5 s', 125_000],
    ['3 h 1 min', 3 * hour + minute],
    ['–', -1],
    ['–', Number.NaN],
  ])('is written "%s"', (words, ms) => {
    expect(toDuration(ms)).toBe(words);
  });
});
