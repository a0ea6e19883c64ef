// Toolyard with the tools of this folder in it, answered by the script of this folder. Stop it with Ctrl-C.
import { join } from 'node:path';
import { createToolyard } from 'toolyard';
import { shopToolkit } from './toolkit.ts';

const shop = shopToolkit({
  prices: new Map([
    ['tea', 4],
    ['coffee', 7],
    ['sugar', 2],
  ]),
  place: async ({ item, count }) => console.log(`ordered: ${count} × ${item}`),
});

const yard = await createToolyard({
  toolkits: [shop],
  rehearse: true,
  scenario: join(import.meta.dirname, 'scenario.yaml'),
});
const { url } = await yard.listen();
console.log(`Toolyard with mcp__shop__find_price and mcp__shop__place_order listens at ${url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void yard.close());
