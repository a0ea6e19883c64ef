// What tokens cost. A price that is not known is `null`, never zero; rehearsal costs nothing and that is known.
import type { Usage } from '@toolyard/sdk';

export type Price = (model: string, usage: Usage) => number | null;

export function createPrices({ rehearsing }: { rehearsing: boolean }): Price {
  return () => (rehearsing ? 0 : null);
}
