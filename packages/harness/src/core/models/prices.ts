// What tokens cost. A price that is not known is `null`, never zero; rehearsal costs nothing and that is known.
import type { ModelPrice, Rates, Usage } from '@toolyard/sdk';

const perMillion = 1_000_000;

export interface Prices {
  /** What one step cost. */
  price(model: string, usage: Usage): number | null;
  /** What a turn cost, of the sum of its steps and what its engine says, which may know of more than it has told. */
  settle(calculated: number | null, reported: number | undefined): number | null;
}

export interface PricesDeps {
  rehearsing: boolean;
  /** The price of a model, when known. */
  find(model: string): ModelPrice | undefined;
}

export function createPrices({ rehearsing, find }: PricesDeps): Prices {
  return {
    price(model, usage) {
      if (rehearsing) return 0;
      const price = find(model);
      if (!price) return null;
      return isCounted(usage) || isFree(price) ? toCost(price, usage) : null;
    },
    settle: (calculated, reported) => (rehearsing ? calculated : (reported ?? calculated)),
  };
}

/** A step that was called reads something: without a token, nobody has counted. */
function isCounted({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): boolean {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens > 0;
}

function isFree({ above, ...rates }: ModelPrice): boolean {
  return [rates, above ?? rates].every(({ input, output }) => input === 0 && output === 0);
}

/** Tokens from a cache are part of the input, at a price of their own. */
export function toCost(price: ModelPrice, usage: Usage): number | null {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const { above } = price;
  const rates: Rates = above && inputTokens > above.tokens ? above : price;
  const read = partOf(cacheReadTokens, rates.cacheRead);
  const written = partOf(cacheWriteTokens, rates.cacheWrite);
  if (read === null || written === null) return null;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return (fresh * rates.input + outputTokens * rates.output) / perMillion + read + written;
}

/** No token costs nothing, at whatever price. */
function partOf(tokens: number, rate: number | null): number | null {
  if (tokens === 0) return 0;
  return rate === null ? null : (tokens * rate) / perMillion;
}
