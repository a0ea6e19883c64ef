// Tools for tests of MCP: each does one thing that a client must be able to see.
import { defineTool, defineToolkit, pause, ToolError } from '@toolyard/sdk';
import { z } from 'zod';

export interface Witness {
  /** What `pay` was asked to pay: its effects. */
  paid: string[];
  /** What became of calls of `linger`. */
  lingered: ('began' | 'stopped')[];
}

export function createToolkits() {
  const witness: Witness = { paid: [], lingered: [] };
  const echo = defineTool({
    name: 'echo',
    title: 'Echo',
    description: 'Says it again.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({ text: z.string(), afterMs: z.number().default(0) }),
    output: z.object({ text: z.string(), sessionId: z.string() }),
    run: async ({ text, afterMs }, { sessionId, signal }) => {
      await pause(afterMs, signal);
      return { text, sessionId };
    },
  });
  const fail = defineTool({
    name: 'fail',
    title: 'Fail',
    description: 'Fails.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({ how: z.enum(['told', 'broken']) }),
    output: z.object({}),
    run: async ({ how }) => {
      throw how === 'told' ? new ToolError('ENOENT: there is no such thing') : new Error('secret cause');
    },
  });
  const step = defineTool({
    name: 'step',
    title: 'Step',
    description: 'Reports how far it is.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({ reports: z.number().default(3) }),
    output: z.object({ steps: z.number() }),
    run: async ({ reports }, { progress }) => {
      for (let done = 1; done <= reports; done++) progress({ done, total: reports, message: `step ${done}` });
      return { steps: reports };
    },
  });
  const linger = defineTool({
    name: 'linger',
    title: 'Linger',
    description: 'Waits until it is stopped.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({}),
    output: z.object({}),
    run: async (_, { signal }) => {
      witness.lingered.push('began');
      await pause(20_000, signal).catch(() => {});
      if (signal.aborted) witness.lingered.push('stopped');
      return {};
    },
  });
  const pay = defineTool({
    name: 'pay',
    title: 'Pay',
    description: 'Pays somebody.',
    effect: 'execute',
    tier: 'session',
    input: z.strictObject({ to: z.string() }),
    output: z.object({ paid: z.string() }),
    run: async ({ to }) => {
      witness.paid.push(to);
      return { paid: to };
    },
  });
  const add = defineTool({
    name: 'add',
    title: 'Add',
    description: 'Adds.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    run: async ({ a, b }) => ({ sum: a + b }),
  });
  const toolkits = [
    defineToolkit({ name: 'trial', tools: [echo, fail, step, linger, pay] }),
    defineToolkit({ name: 'math', server: 'math', tools: [add] }),
  ];
  return { witness, toolkits };
}
