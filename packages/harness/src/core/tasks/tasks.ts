// Tasks: pieces of work with a slug. Every change is one commit; what works on a task is `agents`' to say.

import {
  type AuditEntry,
  type CloseTask,
  type CreateTask,
  type Store,
  type StoreReads,
  type StoreWrites,
  type Task,
  type TaskStatus,
  ToolyardError,
} from '@toolyard/sdk';
import { didYouMean } from '../lib/did-you-mean.ts';
import { requireCursor } from '../lib/page-cursor.ts';
import type { Clock } from '../lib/ports.ts';

/** Slugs that a mistyped one is compared with: the newest. */
const maxComparedSlugs = 500;
/** Ids that are named when a task is busy. */
const maxListedIds = 20;
/** As far as a slug of a stranger is repeated. */
const maxEchoedLength = 64;

export interface TaskDeps {
  store: Store;
  clock: Clock;
}

export interface TaskPage {
  limit: number;
  /** The slug of the last one already seen. */
  after?: string | undefined;
  status?: TaskStatus | undefined;
}

export interface ClosedBy extends CloseTask {
  /** Whoever closes it: what its own session still does on the task is no reason to wait. */
  sessionId?: string | undefined;
}

export type Tasks = ReturnType<typeof createTasks>;

export function createTasks({ store, clock }: TaskDeps) {
  const now = () => new Date(clock.now()).toISOString();

  async function insert(tx: StoreWrites, slug: string, description: string): Promise<Task> {
    await tx.insertTask({ slug, description, createdAt: now() });
    return findTask(tx, slug);
  }

  async function ensure(tx: StoreWrites, slug: string, description: string): Promise<Task> {
    const found = await tx.task(slug);
    return found ? requireNotClosed(found) : insert(tx, slug, description);
  }

  async function closeIn(tx: StoreWrites, slug: string, { outcome, sessionId }: ClosedBy): Promise<Task> {
    const task = requireNotClosed(await findTask(tx, slug));
    await requireIdle(tx, task, sessionId);
    const at = now();
    await tx.updateTask(slug, {
      status: 'closed',
      closedAt: at,
      updatedAt: at,
      ...(outcome !== undefined && { outcome }),
    });
    return findTask(tx, slug);
  }

  return {
    /** Newest first. */
    async list(page: TaskPage): Promise<Task[]> {
      await requireCursor(page.after, store.reads.task);
      return store.reads.tasks(page);
    },

    /** Throws `task_not_found`. */
    get: (slug: string): Promise<Task> => findTask(store.reads, slug),

    /** Throws `task_exists`. */
    create: ({ slug, description = '' }: CreateTask, evidence?: AuditEntry): Promise<Task> =>
      store.commit(async (tx) => {
        if (evidence) await tx.appendAudit(evidence);
        const found = await tx.task(slug);
        if (found) throw exists(found);
        return insert(tx, slug, description);
      }),

    /** Throws `task_not_found`, `task_closed`, or `task_busy` while somebody works on it. */
    close: (slug: string, by: ClosedBy = {}, evidence?: AuditEntry): Promise<Task> =>
      store.commit(async (tx) => {
        if (evidence) await tx.appendAudit(evidence);
        return closeIn(tx, slug, by);
      }),

    /** Within a commit: the task, made when there is none. Throws `task_closed`. */
    ensure,

    /** Within a commit. Throws `task_not_found` and `task_closed`. */
    requireOpen: async (tx: StoreReads, slug: string): Promise<Task> =>
      requireNotClosed(await findTask(tx, slug)),
  };
}

/** Throws `task_not_found`, with the task that was probably meant. */
export async function findTask(reads: Pick<StoreReads, 'task' | 'tasks'>, slug: string): Promise<Task> {
  const found = await reads.task(slug);
  if (found) return found;
  const others = (await reads.tasks({ limit: maxComparedSlugs })).map((task) => task.slug);
  const hint = didYouMean(slug, others) || ' List them with `toolyard tasks list`.';
  throw new ToolyardError('task_not_found', `There is no task ${slug.slice(0, maxEchoedLength)}.${hint}`);
}

function exists({ slug, status }: Task): ToolyardError {
  const how =
    status === 'open' ? 'Work on it, or choose another slug.' : 'It is closed. Choose another slug.';
  return new ToolyardError('task_exists', `The task ${slug} already exists. ${how}`, {
    data: { slug, status },
  });
}

function requireNotClosed(task: Task): Task {
  const { slug, status, closedAt } = task;
  if (status === 'open') return task;
  const when = closedAt === undefined ? '' : ` at ${closedAt}`;
  throw new ToolyardError('task_closed', `The task ${slug} was closed${when}. Use another task.`, {
    data: { slug, ...(closedAt !== undefined && { closedAt }) },
  });
}

async function requireIdle(tx: StoreReads, { slug }: Task, sessionId: string | undefined): Promise<void> {
  const live = await tx.dispatches({ taskSlug: slug, live: true, limit: maxListedIds + 1 });
  const others = live.filter((dispatch) => dispatch.sessionId !== sessionId);
  if (others.length === 0) return;
  const ids = others.slice(0, maxListedIds).map(({ id }) => id);
  const count = await tx.countDispatches({ taskSlug: slug, live: true });
  const own = live.length - others.length;
  throw new ToolyardError(
    'task_busy',
    `Agents still work on the task ${slug}: ${ids.join(', ')}. Await or kill them, then close it.`,
    { data: { slug, agentIds: ids, live: count - own } },
  );
}
