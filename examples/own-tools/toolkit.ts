// Two tools of one's own. Each is data and a plain function; what they need comes in, so that a test can give it.
import { defineTool, defineToolkit, ToolError, type Toolkit } from '@toolyard/sdk';
import { z } from 'zod';

export interface ShopDeps {
  /** Euros by item. */
  prices: ReadonlyMap<string, number>;
  /** Takes an order; resolves when it is placed. */
  place(order: { item: string; count: number }): Promise<void>;
}

export function shopToolkit(deps: ShopDeps): Toolkit {
  return defineToolkit({ name: 'shop', server: 'shop', tools: [findPrice(deps), placeOrder(deps)] });
}

function findPrice({ prices }: ShopDeps) {
  return defineTool({
    name: 'find_price',
    title: 'Find a price',
    description: 'Find what one piece of an item costs, in euros. Items: tea, coffee, sugar.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({ item: z.string().describe('Name of the item, in lower case') }),
    output: z.object({ item: z.string(), euros: z.number() }),
    run: async ({ item }) => ({ item, euros: findIn(prices, item) }),
  });
}

function placeOrder({ prices, place }: ShopDeps) {
  return defineTool({
    name: 'place_order',
    title: 'Place an order',
    description: 'Order pieces of an item. It costs money and cannot be taken back.',
    effect: 'execute',
    tier: 'always',
    input: z.strictObject({ item: z.string(), count: z.int().min(1).max(100) }),
    output: z.object({ ordered: z.string(), euros: z.number() }),
    // What the person sees who is asked.
    preview: ({ item, count }) => `${count} × ${item} for ${findIn(prices, item) * count} euros`,
    run: async ({ item, count }, { signal }) => {
      const euros = findIn(prices, item) * count;
      signal.throwIfAborted();
      await place({ item, count });
      return { ordered: `${count} × ${item}`, euros };
    },
  });
}

/** A `ToolError` is for the model: it says what to do instead. */
function findIn(prices: ReadonlyMap<string, number>, item: string): number {
  const price = prices.get(item);
  if (price !== undefined) return price;
  throw new ToolError(`There is no ${JSON.stringify(item)}. Items: ${[...prices.keys()].join(', ')}.`);
}
