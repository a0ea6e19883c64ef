// Tools for the tests of the page: they look, write, pay, say too much and say what a page must not believe.
import { defineTool, defineToolkit } from '@toolyard/sdk';
import { z } from 'zod';
import { hostileMarkup } from './scenario.ts';

/** What `flood` answers with. */
export const floodBytes = 5 * 1024 * 1024;

const look = defineTool({
  name: 'look',
  title: 'Look',
  description: 'Looks at something.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({ at: z.string() }),
  output: z.object({ seen: z.string() }),
  run: async ({ at }) => ({ seen: `the ${at}` }),
});

const note = defineTool({
  name: 'note',
  title: 'Note',
  description: 'Writes a note.',
  effect: 'write',
  tier: 'session',
  input: z.strictObject({ text: z.string() }),
  output: z.object({ noted: z.string() }),
  grantKey: () => 'notes',
  preview: ({ text }) => `--- a/notes.md\n+++ b/notes.md\n@@ -1 +1,2 @@\n # Notes\n+${text}\n`,
  run: async ({ text }) => ({ noted: text }),
});

const pay = defineTool({
  name: 'pay',
  title: 'Pay',
  description: 'Pays somebody.',
  effect: 'execute',
  tier: 'always',
  input: z.strictObject({ to: z.string(), note: z.string(), account: z.string().optional() }),
  output: z.object({ paid: z.string() }),
  run: async ({ to }) => ({ paid: to }),
});

const flood = defineTool({
  name: 'flood',
  title: 'Flood',
  description: 'Says far too much.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({}),
  output: z.object({ text: z.string() }),
  run: async () => ({ text: `${'All work and no play. '.repeat(floodBytes / 22)}The end of it.` }),
});

const breakDown = defineTool({
  name: 'break_down',
  title: 'Break down',
  description: 'Breaks.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({}),
  output: z.object({}),
  run: async () => {
    throw new Error('the kettle is empty', {
      cause: new TypeError('no water at key sk-ant-api03-abcdefghijklmnopqrstuvwxyz'),
    });
  },
});

const markup = defineTool({
  name: 'markup',
  title: 'Markup',
  description: 'Answers with markup.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({}),
  output: z.object({ html: z.string() }),
  run: async () => ({ html: hostileMarkup }),
});

export const deskKit = defineToolkit({
  name: 'desk',
  server: 'desk',
  tools: [look, note, pay, flood, markup, breakDown],
});
