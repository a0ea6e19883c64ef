// A tool call that is under way when its turn is interrupted: shown once, and never begun after the end.
import { defineTool, defineToolkit, type Event, pause, type Store, type StoreWrites } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isEndOf, openTestYard, readUntil } from '../support/yard.ts';

const engine = createScriptedEngine({
  reply: ({ step }) =>
    step === 0 ? [{ calls: [{ tool: 'mcp__late__work', input: {} }] }] : [{ text: 'Done.' }],
});

function lateToolkit(run: (signal: AbortSignal) => Promise<void>) {
  const work = defineTool({
    name: 'work',
    title: 'Work',
    description: 'Works.',
    effect: 'write',
    input: z.object({}),
    output: z.object({}),
    run: async (_, { signal }) => {
      await run(signal);
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
  const ended = Promise.withResolvers<void>();
  const stubborn = async (signal: AbortSignal) => {
    await pause(10_000, signal);
    await pause(100);
    ended.resolve();
  };
  const yard = await openTestYard({ engine, toolkits: [lateToolkit(stubborn)] });
  const { sessions } = yard.client();
  const { id } = await sessions.create({ mode: 'bypassPermissions' });
  await sessions.send(id, 'work');
  await readUntil(yard, id, ({ type }) => type === 'tool_call_end');
  await pause(50);
  await sessions.interrupt(id);
  await ended.promise;
  await pause(100);
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
  const yard = await openTestYard({
    engine,
    toolkits: [lateToolkit(async () => void ran.push('work'))],
    wrapStore: (store) => onStart(store, () => interrupt.now()),
  });
  const { sessions } = yard.client();
  const { id } = await sessions.create({ mode: 'bypassPermissions' });
  interrupt.now = async () => {
    void sessions.interrupt(id);
    await pause(50);
  };
  const { turnId } = await sessions.send(id, 'work');
  const log = await readUntil(yard, id, isEndOf(turnId));
  await pause(50);
  expect({ ran, end: log.slice(-2).map(toLine) }).toEqual({
    ran: [],
    end: ['tool_result unknown', 'turn_end interrupted'],
  });
});
