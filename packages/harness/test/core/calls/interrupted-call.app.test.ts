// A tool call that is under way when its turn is interrupted: shown once, and never begun after the end.
import {
  defineTool,
  defineToolkit,
  type Engine,
  type EngineSession,
  type Event,
  type Store,
  type StoreWrites,
} from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Yard } from '../../../src/app.ts';
import { converse, isEndOf, openTestYard, readUntil } from '../../support/yard.ts';

const engine = createScriptedEngine({
  reply: ({ step, text }) =>
    step === 0 && text === 'work'
      ? [{ calls: [{ tool: 'mcp__late__work', input: {} }] }]
      : [{ text: 'Done.' }],
});

/** Tells of each turn's signal. */
function watchTurns(onTurn: (signal: AbortSignal) => void): Engine {
  return {
    ...engine,
    async start(spec) {
      const session = await engine.start(spec);
      const prompt: EngineSession['prompt'] = (input, host) => {
        onTurn(host.signal);
        return session.prompt(input, host);
      };
      return { ...session, prompt };
    },
  };
}

/** A turn elsewhere, from its message to its end: what was on its way before it has arrived. */
async function converseElsewhere(yard: Yard): Promise<void> {
  await converse(yard, (await yard.client().sessions.create()).id, 'hello');
}

function lateToolkit(run: () => Promise<void>) {
  const work = defineTool({
    name: 'work',
    title: 'Work',
    description: 'Works.',
    effect: 'write',
    input: z.object({}),
    output: z.object({}),
    run: async () => {
      await run();
      return {};
    },
  });
  return defineToolkit({ name: 'late', server: 'late', tools: [work] });
}

function toLine({ type, data }: Event): string {
  if (type === 'tool_result') return `${type} ${data.outcome ?? data.output}`;
  return type === 'turn_end' ? `${type} ${data.outcome}` : type;
}

/** Calls back inside the transaction that writes a call's start. */
function onStart(store: Store, listener: () => Promise<void>): Store {
  const watch = (tx: StoreWrites): StoreWrites => ({
    ...tx,
    putToolCall: async (row) => {
      await tx.putToolCall(row);
      if (row.state === 'started') await listener();
    },
  });
  return { ...store, commit: (write) => store.commit((tx) => write(watch(tx))) };
}

test('a call that ends after its turn has one result, and it says that the outcome is unknown', async () => {
  const begun = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const stubborn = () => {
    begun.resolve();
    return letGo.promise;
  };
  const yard = await openTestYard({ engine, toolkits: [lateToolkit(stubborn)] });
  const { sessions } = yard.client();
  const { id } = await sessions.create({ mode: 'bypassPermissions' });
  await sessions.send(id, 'work');
  await begun.promise;
  await sessions.interrupt(id);
  letGo.resolve();
  await converseElsewhere(yard);
  const { lastSeq } = await sessions.get(id);
  const log = await readUntil(yard, id, ({ seq }) => seq === lastSeq);
  expect(log.slice(-4).map(toLine)).toEqual([
    'usage',
    'tool_result unknown',
    'turn_end interrupted',
    'session_status',
  ]);
});

test('a call whose start is still being written when its turn is interrupted never runs', async () => {
  const ran: string[] = [];
  const interrupt = { now: async () => {} };
  const aborted = Promise.withResolvers<void>();
  const yard = await openTestYard({
    engine: watchTurns((signal) => signal.addEventListener('abort', () => aborted.resolve())),
    toolkits: [lateToolkit(async () => void ran.push('work'))],
    wrapStore: (store) => onStart(store, () => interrupt.now()),
  });
  const { sessions } = yard.client();
  const { id } = await sessions.create({ mode: 'bypassPermissions' });
  interrupt.now = async () => {
    void sessions.interrupt(id);
    await aborted.promise;
  };
  const { turnId } = await sessions.send(id, 'work');
  const log = await readUntil(yard, id, isEndOf(turnId));
  await converseElsewhere(yard);
  expect({ ran, end: log.slice(-2).map(toLine) }).toEqual({
    ran: [],
    end: ['tool_result unknown', 'turn_end interrupted'],
  });
});
