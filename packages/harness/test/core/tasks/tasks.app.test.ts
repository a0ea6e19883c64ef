import { ToolyardError } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { createTasks } from '../../../src/core/tasks/tasks.ts';
import { openHouse, refusalOf } from '../../support/workspace.ts';
import { idOf, insertDispatches, liveDispatch, sampleDispatch, timeOf } from './dispatch-samples.ts';

async function openTasks() {
  const { store } = await openHouse();
  let minutes = 0;
  const clock = { now: () => Date.parse(timeOf(minutes++)) };
  return { store, tasks: createTasks({ store, clock }) };
}

const open = { status: 'open', dispatchCount: 0, liveCount: 0, costUsd: 0 } as const;

describe('tasks', () => {
  test('are created once, found again and listed newest first', async () => {
    const { tasks } = await openTasks();
    const checkout = await tasks.create({ slug: 'checkout', description: 'Make it work.' });
    await tasks.create({ slug: 'other' });
    expect(checkout).toEqual({
      slug: 'checkout',
      description: 'Make it work.',
      ...open,
      createdAt: timeOf(0),
      updatedAt: timeOf(0),
    });
    expect(await tasks.get('checkout')).toEqual(checkout);
    expect((await tasks.list({ limit: 10 })).map(({ slug }) => slug)).toEqual(['other', 'checkout']);
    expect(await tasks.list({ limit: 10, after: 'other' })).toEqual([checkout]);
    expect(await refusalOf(tasks.create({ slug: 'checkout' }))).toEqual([
      'task_exists',
      'The task checkout already exists. Work on it, or choose another slug.',
    ]);
  });

  test('of ten who create the same one at once, one does', async () => {
    const { tasks } = await openTasks();
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, () => tasks.create({ slug: 'checkout' })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await tasks.list({ limit: 10 })).toHaveLength(1);
  });

  test('that are not there are refused with the one that was probably meant', async () => {
    const { tasks } = await openTasks();
    await tasks.create({ slug: 'checkout' });
    const refusals = await Promise.all(
      ['chekout', 'zebra', `../${'x'.repeat(300)}`].map((slug) => refusalOf(tasks.get(slug))),
    );
    expect(refusals).toEqual([
      ['task_not_found', 'There is no task chekout. Did you mean "checkout"?'],
      ['task_not_found', 'There is no task zebra. List them with `toolyard tasks list`.'],
      ['task_not_found', `There is no task ../${'x'.repeat(61)}. List them with \`toolyard tasks list\`.`],
    ]);
  });

  test('are closed once, with what came of them', async () => {
    const { tasks } = await openTasks();
    await tasks.create({ slug: 'checkout' });
    const closed = await tasks.close('checkout', { outcome: 'It works.' });
    expect(closed).toEqual({
      slug: 'checkout',
      description: '',
      ...open,
      status: 'closed',
      createdAt: timeOf(0),
      updatedAt: timeOf(1),
      closedAt: timeOf(1),
      outcome: 'It works.',
    });
    expect(await refusalOf(tasks.close('checkout'))).toEqual([
      'task_closed',
      `The task checkout was closed at ${timeOf(1)}. Use another task.`,
    ]);
    expect(await refusalOf(tasks.close('chekout'))).toMatchObject(['task_not_found', expect.any(String)]);
    expect(await refusalOf(tasks.create({ slug: 'checkout' }))).toEqual([
      'task_exists',
      'The task checkout already exists. It is closed. Choose another slug.',
    ]);
  });

  test('are not closed while somebody else works on them, and who does is said', async () => {
    const { store, tasks } = await openTasks();
    await tasks.create({ slug: 'checkout' });
    await insertDispatches(store, [
      sampleDispatch(1),
      liveDispatch(2),
      liveDispatch(3, { status: 'waiting' }),
    ]);
    const busy = await tasks
      .close('checkout', { sessionId: idOf('ses', 3) })
      .catch((thrown: unknown) => thrown);
    expect(busy).toEqual(
      new ToolyardError(
        'task_busy',
        `Agents still work on the task checkout: ${idOf('agt', 3)}. Await or kill them, then close it.`,
        { data: { slug: 'checkout', agentIds: [idOf('agt', 3)], live: 1 } },
      ),
    );
    expect((await tasks.get('checkout')).status).toBe('open');
    await store.commit((tx) => tx.updateDispatch(idOf('agt', 3), { status: 'killed', endedAt: timeOf(9) }));
    expect(await refusalOf(tasks.close('checkout'))).toMatchObject([
      'task_busy',
      expect.stringContaining(idOf('agt', 2)),
    ]);
    expect(await tasks.close('checkout', { sessionId: idOf('ses', 3) })).toMatchObject({ status: 'closed' });
  });

  test('name no more than twenty of very many who work on them', async () => {
    const { store, tasks } = await openTasks();
    await tasks.create({ slug: 'checkout' });
    await insertDispatches(
      store,
      Array.from({ length: 30 }, (_, index) => liveDispatch(index + 1)),
    );
    const busy = await tasks.close('checkout').catch((thrown: unknown) => thrown);
    const newest = Array.from({ length: 20 }, (_, index) => idOf('agt', 30 - index));
    expect(busy).toMatchObject({ code: 'task_busy', data: { agentIds: newest, live: 30 } });
  });

  test('are made within a commit when they are missing, and not when they are closed', async () => {
    const { store, tasks } = await openTasks();
    const made = await store.commit((tx) => tasks.ensure(tx, 'checkout', 'Make it work.'));
    expect(made).toMatchObject({ slug: 'checkout', description: 'Make it work.' });
    expect(await store.commit((tx) => tasks.ensure(tx, 'checkout', 'Something else.'))).toEqual(made);
    expect(await store.commit((tx) => tasks.requireOpen(tx, 'checkout'))).toEqual(made);
    await tasks.close('checkout');
    const refusals = [
      await refusalOf(store.commit((tx) => tasks.ensure(tx, 'checkout', ''))),
      await refusalOf(store.commit((tx) => tasks.requireOpen(tx, 'checkout'))),
      await refusalOf(store.commit((tx) => tasks.requireOpen(tx, 'other'))),
    ];
    expect(refusals.map(([code]) => code)).toEqual(['task_closed', 'task_closed', 'task_not_found']);
  });

  test('made in a commit that fails are not there', async () => {
    const { store, tasks } = await openTasks();
    const failing = store.commit(async (tx) => {
      await tasks.ensure(tx, 'checkout', '');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await tasks.list({ limit: 10 })).toEqual([]);
  });
});
