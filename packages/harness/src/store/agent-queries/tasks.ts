// Tasks, and what their dispatches come to: counted as they change, so that a task is read alike however many it has.
import { type AgentReads, type AgentWrites, liveStatuses, type Task, ToolyardError } from '@toolyard/sdk';
import type { Kysely, Selectable } from 'kysely';
import type { TaskTable } from '../sqlite/agent-tables.ts';
import { fromColumn, toColumn } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;
type Row = Selectable<TaskTable> & { dispatch_count: number | null; live_count: number | null };

export function createTaskReads(db: Db): Pick<AgentReads, 'task' | 'tasks' | 'countByStatus'> {
  const bySlug = prepare(db, ({ slug }: { slug: string }) => selectTasks(db).where('slug', '=', slug));
  const counts = prepare(db, ({ slug }: { slug: string }) =>
    db
      .selectFrom('task_counts')
      .select(['status', 'dispatches'])
      .where('task_slug', '=', slug)
      .where('dispatches', '>', 0),
  );
  return {
    async task(slug) {
      const [row] = (await bySlug({ slug })).rows;
      return row && toTask(row);
    },
    async tasks({ status, limit, after }) {
      let query = selectTasks(db).orderBy('position', 'desc').limit(toLimit(limit));
      if (status !== undefined) query = query.where('tasks.status', '=', status);
      if (after !== undefined) {
        query = query.where('position', '<', (eb) =>
          eb.selectFrom('tasks as seen').select('seen.position').where('seen.slug', '=', after),
        );
      }
      return (await query.execute()).map(toTask);
    },
    async countByStatus(slug) {
      const { rows } = await counts({ slug });
      return Object.fromEntries(rows.map(({ status, dispatches }) => [status, dispatches]));
    },
  };
}

type Patch = Parameters<AgentWrites['updateTask']>[1];

export function createTaskWrites(db: Db): Pick<AgentWrites, 'insertTask' | 'updateTask'> {
  return {
    async insertTask({ slug, description, createdAt }) {
      const times = { created_at: createdAt, updated_at: createdAt };
      await db
        .insertInto('tasks')
        .values({ slug, description: toColumn(description), status: 'open', ...times })
        .execute();
    },
    async updateTask(slug, patch) {
      const columns = toColumns(patch);
      if (Object.keys(columns).length === 0) return;
      const { numUpdatedRows } = await db
        .updateTable('tasks')
        .set(columns)
        .where('slug', '=', slug)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw new ToolyardError('task_not_found', `There is no task ${slug}.`);
    },
  };
}

function toColumns({ description, status, closedAt, outcome, updatedAt }: Patch) {
  return {
    ...(description !== undefined && { description: toColumn(description) }),
    ...(status !== undefined && { status }),
    ...(closedAt !== undefined && { closed_at: closedAt }),
    ...(outcome !== undefined && { outcome: toColumn(outcome) }),
    ...(updatedAt !== undefined && { updated_at: updatedAt }),
  };
}

function selectTasks(db: Db) {
  return db
    .selectFrom('tasks')
    .selectAll()
    .select((eb) => {
      const counted = eb
        .selectFrom('task_counts')
        .select(({ fn }) => fn.sum<number>('dispatches').as('sum'))
        .whereRef('task_slug', '=', 'tasks.slug');
      return [
        counted.as('dispatch_count'),
        counted.where('task_counts.status', 'in', liveStatuses).as('live_count'),
      ];
    });
}

function toTask(row: Row): Task {
  return {
    slug: row.slug,
    description: fromColumn(row.description),
    status: row.status,
    dispatchCount: row.dispatch_count ?? 0,
    liveCount: row.live_count ?? 0,
    costUsd: row.unpriced ? null : row.spent_usd,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.closed_at !== null && { closedAt: row.closed_at }),
    ...(row.outcome !== null && { outcome: fromColumn(row.outcome) }),
  };
}
