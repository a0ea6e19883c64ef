// What a tool may say of its progress, and that it hurts nobody else whatever it says.
import { defineTool, defineToolkit, type Event, type EventDraft, type ToolContext } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sampleSession } from '../../../../sdk/src/testing/support/store-samples.ts';
import { createProgress } from '../../../src/core/calls/progress.ts';
import type { Logger } from '../../../src/core/lib/ports.ts';
import { createLog } from '../../../src/core/log/log.ts';
import { newPath, openTestStore } from '../../store/support.ts';
import { caller, textOf } from '../../support/ledger.ts';
import { converse, openTestYard, quiet } from '../../support/yard.ts';

/** A yard whose tool `look` does what it is told with its context. */
function openWith(run: (context: ToolContext) => void) {
  const look = defineTool({
    name: 'look',
    title: 'Look',
    description: 'Looks.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({ at: z.string() }),
    output: z.object({}),
    run: async (_, context) => {
      run(context);
      return {};
    },
  });
  const kit = defineToolkit({ name: 'k', server: 'suite', tools: [look] });
  return openTestYard({ engine: caller(), toolkits: [kit] });
}

const circular: { message?: unknown } = {};
circular.message = circular;

const progressOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'tool_progress' ? event.data : []));

describe('a progress report', () => {
  it.each([
    ['that no JSON can hold', { done: 1n }, []],
    ['that refers to itself', circular, []],
    ['that is nothing', null, []],
    ['that is no number', { done: Number.NaN, total: '3' }, []],
    [
      'with more than it should have',
      { done: 1, total: 3, message: 'a', more: circular },
      [{ done: 1, total: 3, message: 'a' }],
    ],
    ['that is long', { message: 'x'.repeat(5_000_000) }, [{ message: 'x'.repeat(2_000) }]],
  ])('%s stops neither its call nor another', async (_, report, passed) => {
    const yard = await openWith(({ progress }) => progress(report as object));
    const { sessions } = yard.client();
    const [{ id }, other] = [await sessions.create(), await sessions.create()];
    const events = await converse(yard, id, 'look a');
    expect(textOf(events)).toBe('{}');
    expect(progressOf(events)).toMatchObject(passed);
    expect(textOf(await converse(yard, other.id, 'look b'))).toBe('{}');
  });

  it('cannot name another call', async () => {
    let own = '';
    const yard = await openWith(({ progress, toolCallId }) => {
      own = toolCallId;
      progress(Object.assign({ message: 'x' }, { toolCallId: 'other' }));
    });
    const { id } = await yard.client().sessions.create();
    expect(progressOf(await converse(yard, id, 'look a'))).toEqual([{ toolCallId: own, message: 'x' }]);
  });

  it('is thinned out when there is a flood of them', async () => {
    const yard = await openWith(({ progress }) => {
      for (let done = 1; done <= 50_000; done++) progress({ done, message: 'x'.repeat(1_000) });
    });
    const { id } = await yard.client().sessions.create();
    const passed = progressOf(await converse(yard, id, 'look a'));
    expect(passed.length).toBeGreaterThanOrEqual(100);
    expect(passed.length).toBeLessThan(400);
  });

  it('is dropped while there is no room for it, and passed on again afterwards', async () => {
    const passed: unknown[] = [];
    const full = Promise.withResolvers<void>();
    const say = createProgress((report) => {
      passed.push(report.done);
      return report.done === 2 ? full.promise : undefined;
    });
    for (const done of [1, 2, 3]) say({ done });
    full.resolve();
    await full.promise;
    say({ done: 4 });
    expect(passed).toEqual([1, 2, 4]);
  });
});

it('an event that cannot be written as JSON is dropped with a word in the log, and holds nothing up', async () => {
  const said: string[] = [];
  const logger: Logger = { ...quiet, error: (message) => said.push(message) };
  const { store } = await openTestStore(newPath());
  const session = sampleSession(1);
  await store.commit((tx) => tx.insertSession(session));
  const log = createLog({ store, clock: { now: () => Date.now() }, logger });
  const draft = (message: unknown): EventDraft => ({ type: 'raw', data: { engine: 'x', message } });
  log.emit(session.id, draft(1n));
  log.emit(session.id, draft('fine'));
  await log.defer(async () => {});
  expect(await store.reads.events(session.id, 0, 10)).toMatchObject([{ data: { message: 'fine' } }]);
  expect(said).toEqual(['dropped an event: it cannot be written as JSON']);
});
