// Tasks: their words and times, and what their dispatches come to, at once and without counting them.
import { assertEqual } from '../support/assertions.ts';
import {
  agentId,
  insertDispatches,
  rejectionCode,
  type StoreCase,
  sampleDispatch,
  sampleTime,
} from '../support/store-samples.ts';

const later = '2026-11-15T12:01:00.000Z';
const fresh = {
  slug: 'new',
  description: '"half \ud83d',
  status: 'open',
  dispatchCount: 0,
  liveCount: 0,
  costUsd: 0,
  createdAt: sampleTime,
  updatedAt: sampleTime,
};

export const taskCases: StoreCase[] = [
  {
    title: 'keeps a task until it is closed, and what was said then',
    async play({ store, reopen }) {
      const { slug, description, createdAt } = fresh;
      await store.commit((tx) => tx.insertTask({ slug, description, createdAt }));
      assertEqual(await store.reads.task('new'), fresh, 'a new one');
      const closed = { status: 'closed', closedAt: later, updatedAt: later, outcome: 'a\0b' } as const;
      await store.commit((tx) => tx.updateTask('new', closed));
      await store.commit((tx) => tx.updateTask('new', {}));
      assertEqual(await (await reopen()).reads.task('new'), { ...fresh, ...closed }, 'a closed one');
    },
  },
  {
    title: 'has one task of a slug, and says when there is none',
    async play({ store }) {
      const insert = () =>
        store.commit((tx) => tx.insertTask({ slug: 'new', description: '', createdAt: sampleTime }));
      await insert();
      assertEqual(await rejectionCode(insert()), 'storage_failed', 'a second one');
      const update = store.commit((tx) => tx.updateTask('other', { updatedAt: later }));
      assertEqual(await rejectionCode(update), 'task_not_found', 'one that is not there');
      assertEqual(await store.reads.task('other'), undefined, 'what is read of it');
      const dispatch = store.commit((tx) => tx.insertDispatch(sampleDispatch(1)));
      assertEqual(await rejectionCode(dispatch), 'storage_failed', 'work on one that is not there');
    },
  },
  {
    title: 'lists tasks, newest first, all or those of a status',
    async play({ store }) {
      const slugs = ['b', 'a', 'd', 'c'];
      await store.commit(async (tx) => {
        for (const slug of slugs) await tx.insertTask({ slug, description: '', createdAt: sampleTime });
        for (const slug of ['a', 'c']) await tx.updateTask(slug, { status: 'closed', closedAt: later });
      });
      const list = async (page: Parameters<typeof store.reads.tasks>[0]) =>
        (await store.reads.tasks(page)).map(({ slug }) => slug).join('');
      assertEqual(await list({ limit: 9 }), 'cdab', 'all');
      assertEqual(await list({ limit: 2, after: 'd' }), 'ab', 'the second page');
      assertEqual(await list({ limit: 9, status: 'open' }), 'db', 'those that are open');
      assertEqual(await list({ limit: 9, status: 'closed', after: 'c' }), 'a', 'those that are closed');
      assertEqual(await list({ limit: 9, after: 'x' }), '', 'after one that is unknown');
    },
  },
  {
    title: 'counts the dispatches of a task by status, whatever becomes of them',
    async play({ store, reopen }) {
      const here = [1, 2, 3, 4].map((number) => sampleDispatch(number));
      await insertDispatches(store, [...here, sampleDispatch(5, { taskSlug: 'other', status: 'failed' })]);
      await store.commit(async (tx) => {
        for (const number of [1, 2, 3]) await tx.updateDispatch(agentId(number), { status: 'running' });
        await tx.updateDispatch(agentId(1), { status: 'running' });
        await tx.updateDispatch(agentId(1), { status: 'done', endedAt: later });
        await tx.updateDispatch(agentId(1), { status: 'killed', endedAt: later });
        await tx.updateDispatch(agentId(4), { status: 'killed', endedAt: later });
      });
      const gone = store.commit(async (tx) => {
        await tx.updateDispatch(agentId(2), { status: 'failed' });
        throw new Error('taken back');
      });
      await rejectionCode(gone);
      const { reads } = await reopen();
      assertEqual(await reads.countByStatus('checkout'), { running: 2, done: 1, killed: 1 }, 'of the task');
      assertEqual(await reads.countByStatus('other'), { failed: 1 }, 'of the other task');
      assertEqual(await reads.countByStatus('nowhere'), {}, 'of none');
      const tasks = await reads.tasks({ limit: 9 });
      assertEqual(
        tasks.map(({ slug, dispatchCount, liveCount }) => [slug, dispatchCount, liveCount]),
        [
          ['other', 1, 0],
          ['checkout', 4, 2],
        ],
        'the tasks',
      );
    },
  },
];
