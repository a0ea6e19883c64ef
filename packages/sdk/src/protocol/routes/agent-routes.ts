// Agents, runs and tasks. Part of the one table in routes.ts.
import { z } from 'zod';
import { Agent, AgentId, AwaitedAgent, DraftAgent, KilledAgent, Run } from '../agent.ts';
import { SessionId, Slug, TurnId } from '../session.ts';
import { CloseTask, CreateTask, Dispatch, Task, TaskContext, TaskStatus } from '../task.ts';
import { type AnyRoute, listOf, noBody, none, pageAfter } from './route.ts';

const ofAgent = z.object({ id: AgentId });

const ofTask = z.object({ slug: Slug });

export const agentRoutes = {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    summary: 'Agents, newest first: all, or with `live=true` those that have not ended',
    status: 200,
    params: none,
    query: z.object({
      live: z.stringbool().default(false),
      taskSlug: Slug.optional(),
      runId: TurnId.optional(),
      /** All of a tree. */
      rootSessionId: SessionId.optional(),
      ...pageAfter(AgentId),
    }),
    body: noBody,
    response: listOf(Agent),
  },
  draftAgent: {
    method: 'POST',
    path: '/api/agents',
    summary: 'Draft an agent, on its own or as the child of a session',
    status: 201,
    params: none,
    query: none,
    body: DraftAgent.extend({ sessionId: SessionId.optional() }),
    response: Agent,
  },
  getAgent: {
    method: 'GET',
    path: '/api/agents/:id',
    summary: 'One agent',
    status: 200,
    params: ofAgent,
    query: none,
    body: noBody,
    response: Agent,
  },
  awaitAgent: {
    method: 'POST',
    path: '/api/agents/:id/await',
    summary: 'Wait until an agent ends: 45 seconds by default, an hour at most',
    status: 200,
    params: ofAgent,
    query: none,
    body: z.strictObject({ timeoutSeconds: z.number().min(0).max(3_600).optional() }),
    response: AwaitedAgent,
  },
  killAgent: {
    method: 'POST',
    path: '/api/agents/:id/kill',
    summary: 'End an agent, its processes and all agents that it drafted',
    status: 200,
    params: ofAgent,
    query: none,
    body: noBody,
    response: KilledAgent,
  },
  getRun: {
    method: 'GET',
    path: '/api/runs/:id',
    summary: 'A run: its limits and its use of them',
    status: 200,
    params: z.object({ id: TurnId }),
    query: none,
    body: noBody,
    response: Run,
  },
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    summary: 'Tasks, newest first',
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
} as const satisfies Record<string, AnyRoute>;
