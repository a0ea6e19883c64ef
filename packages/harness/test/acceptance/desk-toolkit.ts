// A library user's toolkit: tools that look, wait until the test lets them go on, pay, and fail in both ways.
import { defineTool, defineToolkit, type ToolContext, ToolError, untilAborted } from '@toolyard/sdk';
import { z } from 'zod';
import { until } from './person.ts';

/** Told of every effect before it happens; what it returns is waited for. */
type Begin = (tool: string, about: string, context: ToolContext) => Promise<void> | undefined;

export function createDesk() {
  const ran: { sessionId: string; what: string }[] = [];
  const waiting = new Map<string, PromiseWithResolvers<void>>();

  const begin: Begin = (tool, about, { sessionId, signal }) => {
    ran.push({ sessionId, what: `${tool} ${about}` });
    if (tool !== 'hold') return undefined;
    const released = Promise.withResolvers<void>();
    waiting.set(about, released);
    return untilAborted(released.promise, signal);
  };

  return {
    kit: defineToolkit({
      name: 'desk',
      server: 'desk',
      tools: [look(begin), hold(begin), pay(begin), stuck, broken],
    }),
    /** What a session has caused, in order. */
    ranIn: (sessionId: string) => ran.filter((each) => each.sessionId === sessionId).map(({ what }) => what),
    /** Waits until `hold` is called with this key. */
    held: (key: string) => until(`hold ${key} was never called`, () => waiting.get(key)),
    letGo: (key: string) => waiting.get(key)?.resolve(),
  };
}

const look = (begin: Begin) =>
  defineTool({
    name: 'look',
    title: 'Look',
    description: 'Looks at something.',
    effect: 'read',
    tier: 'session',
    input: z.strictObject({ at: z.string() }),
    output: z.object({ seen: z.string() }),
    run: async ({ at }, context) => {
      await begin('look', at, context);
      return { seen: `the ${at}` };
    },
  });

const hold = (begin: Begin) =>
  defineTool({
    name: 'hold',
    title: 'Hold',
    description: 'Waits to be let go on.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({ key: z.string() }),
    output: z.object({ held: z.string() }),
    run: async ({ key }, context) => {
      await begin('hold', key, context);
      return { held: key };
    },
  });

const pay = (begin: Begin) =>
  defineTool({
    name: 'pay',
    title: 'Pay',
    description: 'Pays somebody.',
    effect: 'execute',
    tier: 'always',
    input: z.strictObject({ to: z.string() }),
    output: z.object({ paid: z.string() }),
    run: async ({ to }, context) => {
      await begin('pay', to, context);
      return { paid: to };
    },
  });

const stuck = defineTool({
  name: 'stuck',
  title: 'Stuck',
  description: 'Says why it fails.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({}),
  output: z.object({}),
  run: async () => {
    throw new ToolError('The drawer is stuck. Pull harder.');
  },
});

const broken = defineTool({
  name: 'broken',
  title: 'Broken',
  description: 'Breaks.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({}),
  output: z.object({}),
  run: async () => {
    throw new TypeError('cannot read swordfish of undefined');
  },
});
