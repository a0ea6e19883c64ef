// Toolyard with the tools of this folder in it, answered by the script of this folder. Stop it with Ctrl-C.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { openYard, portOf } from '../../packages/harness/src/app.ts';
import { shopToolkit } from './toolkit.ts';

const shop = shopToolkit({
  prices: new Map([
    ['tea', 4],
    ['coffee', 7],
    ['sugar', 2],
  ]),
  place: async ({ item, count }) => console.log(`ordered: ${count} × ${item}`),
});

const yard = await openYard({
  home: process.env.TOOLYARD_HOME || join(homedir(), '.toolyard'),
  env: process.env,
  toolkits: [shop],
  rehearse: true,
  scenario: join(import.meta.dirname, 'scenario.yaml'),
});
const { url } = await yard.listen({ host: '127.0.0.1', port: portOf(process.env, yard.config) });
console.log(`Toolyard with mcp__shop__find_price and mcp__shop__place_order listens at ${url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void yard.close().then(() => process.exit(0)));
}
