// Follows one call of a host tool that a person allows: from the engine that makes it to the outcome it gets, and from
// the client that answers.
import { type Client, createClient, defineTool, defineToolkit, type Engine, pause } from '@toolyard/sdk';
import { z } from 'zod';
import { isSource } from '../source/repository.ts';
import type { Recorder, Stack, Trace } from './call-stacks.ts';
import { startServer } from './server.ts';

/** By then what began the turn is stored and delivered. */
const settledAfterMs = 500;

export async function followCall({ start, mark, stop }: Recorder): Promise<Stack[]> {
  const outcome = Promise.withResolvers<Trace[]>();
  const engine: Engine = {
    id: 'native',
    nativeTools: [],
    start: async () => ({
      async prompt(_, { tools }) {
        await pause(settledAfterMs);
        start();
        const { isError, text } = await tools.call({
          id: 'call_1',
          name: 'mcp__shop__pay',
          input: { to: 'Ann' },
        });
        if (isError) outcome.reject(new Error(text));
        else outcome.resolve(stop());
        return { outcome: 'completed' };
      },
      close: async () => {},
    }),
  };
  await using server = await startServer({ engine, toolkits: [createShop(mark)] });
  const client = createClient({ baseUrl: server.url, token: server.yard.token });
  const { id } = await client.sessions.create({ engine: 'native' });
  using socket = client.socket();
  void allow(socket, id);
  await socket.send(id, [{ type: 'text', text: 'pay' }]);
  return (await outcome.promise).map(({ stack }) => fromEngine(stack));
}

/** All of a tool is outside: its schema, its key, its preview and what it does. */
function createShop(mark: Recorder['mark']) {
  const marked = <T>(value: T): T => {
    mark();
    return value;
  };
  const pay = defineTool({
    name: 'pay',
    title: 'Pay',
    description: 'Pays somebody.',
    effect: 'execute',
    tier: 'always',
    input: z.strictObject({ to: z.string().refine(() => marked(true)) }),
    output: z.object({ paid: z.string().refine(() => marked(true)) }),
    grantKey: ({ to }) => marked(to),
    preview: ({ to }) => marked(`Pays ${to}.`),
    run: async ({ to }) => marked({ paid: to }),
  });
  return defineToolkit({ name: 'shop', server: 'shop', tools: [pay] });
}

async function allow(socket: ReturnType<Client['socket']>, sessionId: string): Promise<void> {
  for await (const event of socket.events(sessionId)) {
    if (event.type !== 'approval_required') continue;
    await socket.answerApproval(event.data.approval.id, { decision: 'allow', scope: 'once' });
    return;
  }
}

/** Without the calls that led to the engine, and the tool's own at the end. */
function fromEngine(stack: Stack): Stack {
  const ours = stack.slice(0, stack.findLastIndex(({ file }) => isSource(file)) + 1);
  return ours.slice(ours.findLastIndex(({ file }) => !isSource(file)) + 1);
}
