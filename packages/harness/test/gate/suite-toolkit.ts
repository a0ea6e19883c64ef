// Host tools for the matrix: one that leaves a note on the disk, and enough others that the CLI offers its search for tools.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTool, defineToolkit, type Toolkit } from '@toolyard/sdk';
import { z } from 'zod';

export function suiteToolkit(): Toolkit {
  const look = (number: number) =>
    defineTool({
      name: `look_${number}`,
      title: 'Look',
      description: 'Looks.',
      effect: 'read',
      tier: 'auto',
      input: z.object({}),
      output: z.object({}),
      run: async () => ({}),
    });
  const note = defineTool({
    name: 'note',
    title: 'Note',
    description: 'Notes.',
    effect: 'execute',
    tier: 'always',
    input: z.object({ tag: z.string() }),
    output: z.object({}),
    async run({ tag }, { cwd }) {
      appendFileSync(join(cwd, `note-${tag}.txt`), 'ran\n');
      return {};
    },
  });
  const looks = Array.from({ length: 20 }, (_, number) => look(number));
  return defineToolkit({ name: 'suite', server: 'suite', tools: [note, ...looks] });
}
