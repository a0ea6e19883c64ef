// Agents, runs and tasks, as the client calls them.
import type { z } from 'zod';
import { routes } from '../protocol/routes/routes.ts';
import type { CloseTask, CreateTask } from '../protocol/task.ts';
import type { createCarrier } from './carrier.ts';

/** A type, not an interface: a query is any record of words. */
type Page = {
  limit?: number;
  after?: string;
};

type Carrier = ReturnType<typeof createCarrier>;

export function createAgentCalls(request: Carrier['request']) {
  return {
    agents: {
      /** The live ones, unless `all` is asked for. */
      list: ({
        all,
        ...query
      }: Page & { all?: boolean; taskSlug?: string; runId?: string; rootSessionId?: string } = {}) =>
        request(routes.listAgents, { query: { ...query, ...(!all && { live: 'true' }) } }),
      get: (id: string) => request(routes.getAgent, { params: { id } }),
      draft: (body: z.input<(typeof routes)['draftAgent']['body']>) => request(routes.draftAgent, { body }),
      await: (id: string, body: { timeoutSeconds?: number } = {}, signal?: AbortSignal) =>
        request(routes.awaitAgent, { params: { id }, body, ...(signal && { signal }) }),
      kill: (id: string) => request(routes.killAgent, { params: { id } }),
    },
    runs: { get: (id: string) => request(routes.getRun, { params: { id } }) },
    tasks: {
      list: (query: Page & { status?: 'open' | 'closed' } = {}) => request(routes.listTasks, { query }),
      get: (slug: string, query: Page = {}) => request(routes.getTask, { params: { slug }, query }),
      create: (body: CreateTask) => request(routes.createTask, { body }),
      context: (slug: string, query: { maxTokens?: number } = {}) =>
        request(routes.getTaskContext, { params: { slug }, query }),
      close: (slug: string, body: CloseTask = {}) => request(routes.closeTask, { params: { slug }, body }),
    },
  };
}
