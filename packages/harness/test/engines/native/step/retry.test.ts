import { describe, expect, it } from 'vitest';
import { defaultRetry, toRetryAfter, toRetryDelay } from '../../../../src/engines/native/step/retry.ts';

const now = Date.parse('2026-11-15T12:00:00Z');
const failed = { attempts: 1, elapsedMs: 0, now, random: 1 };

describe('retry-after', () => {
  it.each([
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': 'Sun, 15 Nov 2026 12:00:07 GMT' }, 7_000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{}, undefined],
  ])('%o means %s ms', (headers: Record<string, string>, ms) => {
    expect(toRetryAfter(headers, now)).toBe(ms);
  });
});

describe('the wait before the next attempt', () => {
  it('doubles, within jitter of half', () => {
    const waits = (random: number) =>
      [1, 2, 3, 4].map((attempts) => toRetryDelay(defaultRetry, { ...failed, attempts, random }));
    expect(waits(1)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(waits(0)).toEqual([500, 1_000, 2_000, 4_000]);
  });

  it('never grows past the longest', () => {
    const policy = { ...defaultRetry, attempts: 20, totalMs: 1_000_000 };
    expect(toRetryDelay(policy, { ...failed, attempts: 12 })).toBe(60_000);
  });

  it('is what the provider asks for', () => {
    expect(toRetryDelay(defaultRetry, { ...failed, headers: { 'retry-after': '42' } })).toBe(42_000);
    expect(toRetryDelay(defaultRetry, { ...failed, headers: { 'retry-after': '0' } })).toBe(0);
  });

  it('is given up when the provider asks for longer than anyone would wait', () => {
    expect(toRetryDelay(defaultRetry, { ...failed, headers: { 'retry-after': '3600' } })).toBeUndefined();
  });

  it('is given up after the last attempt and past the total', () => {
    expect(toRetryDelay(defaultRetry, { ...failed, attempts: 5 })).toBeUndefined();
    expect(toRetryDelay(defaultRetry, { ...failed, attempts: 2, elapsedMs: 299_000 })).toBeUndefined();
  });
});
