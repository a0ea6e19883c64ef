// The tools that the pictures show: a small project, as they would see it. They touch nothing.
import { defineTool, defineToolkit } from '@toolyard/sdk';
import { z } from 'zod';

const source = `export async function fetchPrice(item: string): Promise<Price> {
  const response = await fetch(\`\${base}/prices/\${item}\`);
  return Price.parse(await response.json());
}
`;

const read = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description: 'Reads a file of the project.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({ path: z.string() }),
  output: z.object({ text: z.string() }),
  run: async () => ({ text: source }),
});

const search = defineTool({
  name: 'search_files',
  title: 'Search',
  description: 'Finds words in the files of the project.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({ words: z.string() }),
  output: z.object({ found: z.array(z.string()) }),
  run: async () => ({ found: ['src/prices.ts:12', 'src/orders.ts:40', 'test/prices.test.ts:8'] }),
});

const edit = defineTool({
  name: 'edit_file',
  title: 'Edit a file',
  description: 'Replaces words in a file of the project.',
  effect: 'write',
  tier: 'session',
  input: z.strictObject({ path: z.string(), old: z.string(), new: z.string() }),
  output: z.object({ changed: z.number() }),
  grantKey: ({ path }) => `edits of ${path}`,
  preview: (change) =>
    [
      ...[`--- a/${change.path}`, `+++ b/${change.path}`, '@@ -12,4 +12,5 @@'],
      ...[' export async function fetchPrice(item: string): Promise<Price> {', `-${change.old}`],
      ...change.new.split('\n').map((line) => `+${line}`),
      '   return Price.parse(await response.json());',
    ].join('\n'),
  run: async () => ({ changed: 1 }),
});

const run = defineTool({
  name: 'run_command',
  title: 'Run a command',
  description: 'Runs a command in the project.',
  effect: 'execute',
  tier: 'session',
  input: z.strictObject({ command: z.string(), because: z.string() }),
  output: z.object({ code: z.number(), text: z.string() }),
  run: async () => ({ code: 0, text: ' Test Files  4 passed (4)\n      Tests  31 passed (31)\n' }),
});

export const projectKit = defineToolkit({
  name: 'project',
  server: 'project',
  tools: [read, search, edit, run],
});
