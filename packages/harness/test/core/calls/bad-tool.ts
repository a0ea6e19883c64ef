// A tool that spins, in a module of its own so that a worker can load it.
import { defineTool } from '@toolyard/sdk';
import { z } from 'zod';

export const spin = defineTool({
  name: 'spin',
  title: 'Spin',
  description: 'Never yields.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({}),
  output: z.object({}),
  deadlineMs: 300,
  worker: { module: import.meta.url, exportName: 'spin' },
  run: async () => {
    for (;;);
  },
});

export const add = defineTool({
  name: 'add',
  title: 'Add',
  description: 'Adds in a worker.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  worker: { module: import.meta.url, exportName: 'add' },
  run: async ({ a, b }, { progress }) => {
    progress({ message: 'adding' });
    return { sum: a + b };
  },
});
