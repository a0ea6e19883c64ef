import type { ModelPrice } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { createPriceList, type PriceFile, readPriceFile } from '../../../src/core/models/price-list.ts';
import { createPrices, toCost } from '../../../src/core/models/prices.ts';

const price: ModelPrice = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

describe('what a step costs', () => {
  it('counts tokens from a cache at their own price, and the rest of the input at the full one', () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 700, cacheWriteTokens: 200 };
    const dollars = (100 * 1 + 700 * 0.1 + 200 * 1.25 + 100 * 5) / 1_000_000;
    expect(toCost(price, usage)).toBeCloseTo(dollars, 12);
  });

  it('is that of a long step as a whole, once the step reads more than the price’s limit', () => {
    const above = { tokens: 1_000, input: 2, output: 10, cacheRead: 0.2, cacheWrite: null };
    const cost = (inputTokens: number) => toCost({ ...price, above }, { inputTokens, outputTokens: 0 });
    expect([cost(1_000), cost(1_001)]).toEqual([1_000 / 1_000_000, 2_002 / 1_000_000]);
  });

  it('is unknown when one of its prices is, and only then', () => {
    const unknown = { ...price, cacheWrite: null };
    const usage = { inputTokens: 10, outputTokens: 1 };
    expect(toCost(unknown, { ...usage, cacheWriteTokens: 5 })).toBeNull();
    expect(toCost(unknown, { ...usage, cacheReadTokens: 5 })).not.toBeNull();
  });

  it('is never less than nothing, whatever a provider counts', () => {
    expect(toCost(price, { inputTokens: 0, outputTokens: 0, cacheReadTokens: 10 })).toBeCloseTo(1e-6, 12);
  });
});

describe('prices', () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0 };

  it('of a model that nobody knows are unknown, never nothing', () => {
    const prices = createPrices({ rehearsing: false, find: () => undefined });
    expect(prices.price('local/llama', usage)).toBeNull();
  });

  it('of a rehearsal are nothing, whatever the engine says of its turn', () => {
    const prices = createPrices({ rehearsing: true, find: () => price });
    expect([prices.price('anthropic/x', usage), prices.settle(0, 0.5)]).toEqual([0, 0]);
  });

  it('of a step that nobody counted are unknown, unless whatever it used is free', () => {
    const uncounted = { inputTokens: 0, outputTokens: 0 };
    const of = (found: ModelPrice, rehearsing = false) =>
      createPrices({ rehearsing, find: () => found }).price('anthropic/x', uncounted);
    const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const later = { ...free, above: { ...price, tokens: 1_000 } };
    expect([of(price), of(later), of(free), of(price, true)]).toEqual([null, null, 0, 0]);
  });

  it('give way to an engine that knows what its turn cost', () => {
    const prices = createPrices({ rehearsing: false, find: () => price });
    expect([prices.price('anthropic/x', usage), prices.settle(1, 1.5), prices.settle(1, undefined)]).toEqual([
      1, 1.5, 1,
    ]);
  });
});

describe('the list of prices', () => {
  const at = (day: string) => ({ now: () => Date.parse(`${day}T12:00:00Z`) });
  const model = { provider: 'p', contextWindow: 1_000 };
  const file = (): PriceFile => ({
    asOf: '2026-01-01',
    unit: '',
    models: [
      { ...model, id: 'm', until: '2026-06-30', price },
      { ...model, id: 'm', from: '2026-07-01', price: { ...price, input: 2 } },
      { ...model, id: 'brief', until: '2026-06-30', price },
    ],
  });

  it('knows which price is in force, and forgets one that has run out', () => {
    const input = (day: string, id: string) => createPriceList(at(day), file).find('p', id)?.price?.input;
    expect([input('2026-06-30', 'm'), input('2026-07-01', 'm')]).toEqual([1, 2]);
    const late = createPriceList(at('2026-07-01'), file);
    expect(late.find('p', 'brief')).toMatchObject({ contextWindow: 1_000, price: null });
    expect(late.of('p').map(({ id }) => id)).toEqual(['m', 'brief']);
  });

  it('takes a date at the end of a name for a version', () => {
    const list = createPriceList(at('2026-06-01'), file);
    for (const id of ['m-20260101', 'm-2026-01-01', 'm-latest'])
      expect(list.find('p', id)?.price).toEqual(price);
    expect(list.find('p', 'm-mini')).toBeUndefined();
  });

  it('that ships can be read, is dated, and names each model once for any day', () => {
    const { asOf, models } = readPriceFile();
    expect(asOf).toMatch(/^20\d\d-\d\d-\d\d$/);
    const list = createPriceList(at(asOf));
    for (const provider of ['anthropic', 'openai', 'google']) {
      const known = list.of(provider);
      expect(known.length).toBeGreaterThan(5);
      for (const { id } of known) {
        const periods = models.filter((each) => each.provider === provider && each.id === id);
        const inForce = periods.filter(({ from = '', until = '9' }) => from <= asOf && asOf <= until);
        expect([id, inForce.length]).toEqual([id, 1]);
      }
    }
  });
});
