// Routes of tasks.
import { z } from 'zod';
import { AgentId } from '../agent.ts';
import { Slug, TurnId } from '../session.ts';
import { CloseTask, CreateTask, Dispatch, Task, TaskContext, TaskStatus } from '../task.ts';
import { listOf, noBody, none, pageAfter } from './route.ts';

const ofTask = z.object({ slug: Slug });

export const taskRoutes = {
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    summary: 'Tasks, the newest first',
    status: 200,
    params: none,
    query: z.object({ status: TaskStatus.optional(), ...pageAfter(Slug) }),
    body: noBody,
    response: listOf(Task),
  },
  createTask: {
    method: 'POST',
    path: '/api/tasks',
    summary: 'Create a task',
    status: 201,
    params: none,
    query: none,
    body: CreateTask,
    response: Task,
  },
  getTask: {
    method: 'GET',
    path: '/api/tasks/:slug',
    summary: 'One task, with its newest dispatches',
    status: 200,
    params: ofTask,
    query: z.object(pageAfter(z.union([AgentId, TurnId]))),
    body: noBody,
    response: Task.extend({ dispatches: listOf(Dispatch) }),
  },
  getTaskContext: {
    method: 'GET',
    path: '/api/tasks/:slug/context',
    summary: 'The hand-over of a task for the next agent, in Markdown',
    status: 200,
    params: ofTask,
    query: z.object({ maxTokens: z.coerce.number().int().min(200).max(200_000).optional() }),
    body: noBody,
    response: TaskContext,
  },
  closeTask: {
    method: 'POST',
    path: '/api/tasks/:slug/close',
    summary: 'Close a task',
    status: 200,
    params: ofTask,
    query: none,
    body: CloseTask,
    response: Task,
  },
} as const;
