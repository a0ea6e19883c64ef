// Routes of agents and runs.
import { z } from 'zod';
import { Agent, AgentId, AwaitedAgent, DraftAgent, KilledAgent, Run } from '../agent.ts';
import { SessionId, Slug, TurnId } from '../session.ts';
import { listOf, noBody, none, pageAfter } from './route.ts';

const ofAgent = z.object({ id: AgentId });

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
    summary: 'Draft an agent, of one’s own or as the child of a session',
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
    summary: 'Wait for an agent’s end, 45 seconds unless another time is asked for, an hour at most',
    status: 200,
    params: ofAgent,
    query: none,
    body: z.strictObject({ timeoutSeconds: z.number().min(0).max(3_600).optional() }),
    response: AwaitedAgent,
  },
  killAgent: {
    method: 'POST',
    path: '/api/agents/:id/kill',
    summary: 'End an agent, its processes and all that it has drafted',
    status: 200,
    params: ofAgent,
    query: none,
    body: noBody,
    response: KilledAgent,
  },
  getRun: {
    method: 'GET',
    path: '/api/runs/:id',
    summary: 'A run: its limits and what it has used of them',
    status: 200,
    params: z.object({ id: TurnId }),
    query: none,
    body: noBody,
    response: Run,
  },
} as const;
