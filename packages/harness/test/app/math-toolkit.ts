// Tools of a library user: one that asks nobody, and one that always asks.
import { defineTool, defineToolkit } from '@toolyard/sdk';
import { z } from 'zod';

const output = z.object({ sum: z.number() });
const input = z.object({ a: z.number(), b: z.number() });

export const add = defineTool({
  name: 'add',
  title: 'Add',
  description: 'Add two numbers.',
  effect: 'read',
  tier: 'auto',
  input,
  output,
  run: async ({ a, b }) => ({ sum: a + b }),
});

export const spend = defineTool({
  name: 'spend',
  title: 'Spend',
  description: 'Spend money.',
  effect: 'execute',
  tier: 'always',
  input,
  output,
  run: async ({ a, b }) => ({ sum: a + b }),
});

export const math = defineToolkit({ name: 'math', server: 'math', tools: [add, spend] });
