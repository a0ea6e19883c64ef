import { expect, test } from 'vitest';
import { formatCost, toCeiling, toCount } from '../../../src/screens/usage/format-usage.ts';
import { toSpan } from '../../../src/screens/usage/usage-span.ts';

const sum = { turns: 2, inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

test('an unknown price is never nothing, and nothing known is free', () => {
  const costs = [
    { ...sum, costUsd: 1.5, unpricedTurns: 0 },
    { ...sum, costUsd: 1.5, unpricedTurns: 1 },
    { ...sum, costUsd: null, unpricedTurns: 2 },
    { ...sum, costUsd: 0, unpricedTurns: 1 },
    { ...sum, costUsd: 0, unpricedTurns: 0 },
    { ...sum, turns: 0, costUsd: 0, unpricedTurns: 0 },
  ];
  expect(costs.map(formatCost)).toEqual(['$1.50', '$1.50 + unknown', 'unknown', 'unknown', 'free', '–']);
});

test('numbers are short, and scales end at a round one', () => {
  expect([0, 999, 1_000, 12_345, 999_999, 2_500_000].map(toCount)).toEqual([
    '0',
    '999',
    '1k',
    '12.3k',
    '1000k',
    '2.5M',
  ]);
  expect([0, 0.003, 1.7, 2.1, 99].map(toCeiling)).toEqual([1, 0.005, 2, 2.5, 100]);
});

test('a range is whole days up to today, or the hours of the last day', () => {
  const now = new Date(2026, 10, 15, 9, 20);
  const week = toSpan('7d', now);
  expect([week.moments[0], week.moments.at(-1), week.moments.length]).toEqual([
    '2026-11-09',
    '2026-11-15',
    7,
  ]);
  expect([week.from, week.to]).toEqual([new Date(2026, 10, 9), new Date(2026, 10, 16)]);
  const day = toSpan('24h', now);
  expect([day.moments[0], day.moments.at(-1), day.moments.length]).toEqual([
    '2026-11-14T10:00',
    '2026-11-15T09:00',
    24,
  ]);
});
