// Tasks for whoever asks: a person and an agent that may draft others see all; an agent that may not sees its own.

import {
  type Actor,
  type CloseTask,
  type CreateTask,
  type Dispatch,
  type Store,
  type Task,
  type TaskContext,
  ToolyardError,
} from '@toolyard/sdk';
import { toChangeEntry } from '../audit/audit-changes.ts';
import { requireCursor } from '../lib/page-cursor.ts';
import type { Clock } from '../lib/ports.ts';
import { createTaskContext } from '../tasks/task-context.ts';
import type { TaskPage, Tasks } from '../tasks/tasks.ts';
import type { Agents } from './agents.ts';

export interface TaskAccessDeps {
  store: Store;
  clock: Clock;
  tasks: Tasks;
  agents: Pick<Agents, 'boundOf'>;
}

export type TaskAccess = ReturnType<typeof createTaskAccess>;

export function createTaskAccess({ store, clock, tasks, agents }: TaskAccessDeps) {
  const context = createTaskContext({ reads: store.reads });

  /** What is another's task is, for it, not there. */
  async function requireOwn(sessionId: string, slug: string): Promise<void> {
    const bound = await agents.boundOf(sessionId);
    if (!bound || bound.taskSlug === slug) return;
    const hint = bound.taskSlug ? `Your task is ${bound.taskSlug}.` : 'Your session has no task.';
    throw new ToolyardError('task_not_found', `You have no access to a task ${slug}. ${hint}`);
  }

  return {
    ...tasks,
    context: async (slug: string, maxTokens?: number): Promise<TaskContext> => ({
      context: await context(slug, maxTokens),
    }),
    /** Newest first. */
    async dispatches(taskSlug: string, page: Pick<TaskPage, 'limit' | 'after'>): Promise<Dispatch[]> {
      await requireCursor(page.after, store.reads.dispatch);
      return store.reads.dispatches({ taskSlug, ...page });
    },

    createBy: (actor: Actor, wanted: CreateTask): Promise<Task> =>
      tasks.create(wanted, toChangeEntry(clock, actor, { change: 'task_created', subject: wanted.slug })),
    closeBy: (actor: Actor, slug: string, closing: CloseTask): Promise<Task> =>
      tasks.close(slug, closing, toChangeEntry(clock, actor, { change: 'task_closed', subject: slug })),

    /** For tools: bound to what the caller may see. */
    async listFor(sessionId: string, page: TaskPage): Promise<Task[]> {
      const bound = await agents.boundOf(sessionId);
      if (!bound) return tasks.list(page);
      return bound.taskSlug ? [await tasks.get(bound.taskSlug)] : [];
    },
    async contextFor(sessionId: string, slug: string, maxTokens: number | undefined): Promise<string> {
      await requireOwn(sessionId, slug);
      return context(slug, maxTokens);
    },
    async closeFor(
      sessionId: string,
      slug: string,
      closing: { outcome?: string | undefined },
    ): Promise<Task> {
      await requireOwn(sessionId, slug);
      const { outcome } = closing;
      return tasks.close(slug, { sessionId, ...(outcome !== undefined && { outcome }) });
    },
  };
}
