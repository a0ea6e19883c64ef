// The agents toolkit: drafting agents, waiting for them, ending them, and what an agent reports. Thin over core.
import {
  type Agent,
  AgentId,
  AgentResult,
  AgentStatus,
  type AwaitedAgent,
  Budget,
  type DraftAgent,
  defineTool,
  defineToolkit,
  Failure,
  Isolation,
  type KilledAgent,
  Prompt,
  Report,
  Slug,
  type ToolContext,
  type Toolkit,
  Worktree,
} from '@toolyard/sdk';
import { z } from 'zod';
import { toToolTerms } from '../core/lib/tool-terms.ts';
import { refuse } from './refusals.ts';

/** Each knows its caller by the call; who may do what is not decided here. Throws what core throws. */
export interface AgentToolDeps {
  draft(wanted: DraftAgent, caller: ToolContext): Promise<Agent>;
  await(id: string, caller: ToolContext, seconds?: number): Promise<AwaitedAgent>;
  awaitAny(ids: readonly string[], caller: ToolContext, seconds?: number): Promise<AwaitedAgent | undefined>;
  kill(id: string, sessionId: string): Promise<KilledAgent>;
  /** Newest first. */
  listFor(sessionId: string, page: { all: boolean; limit: number }): Promise<Agent[]>;
  report(report: Report, caller: ToolContext): Promise<void>;
}

/** A call that waits decides itself how long. */
const noDeadline = 2 ** 31 - 1;

const seconds = z
  .number()
  .min(0)
  .max(86_400)
  .optional()
  .describe('How long to wait; 0 only looks. By default, and at most, as long as a call may take');

const maxListed = 100;

const listed = z.object({
  id: z.string(),
  role: z.string(),
  taskSlug: z.string(),
  status: AgentStatus,
  startedAt: z.string(),
});

const awaited = z.object({
  agentId: AgentId.optional(),
  status: AgentStatus,
  result: AgentResult.optional(),
  error: Failure.optional(),
  worktree: Worktree.optional(),
  costUsd: z.number().nullable().optional(),
  durationMs: z.int().optional(),
});

export function agentsToolkit(deps: AgentToolDeps): Toolkit {
  return defineToolkit({
    name: 'agents',
    tools: [
      draftAgent(deps),
      awaitAgent(deps),
      awaitAnyAgent(deps),
      killAgent(deps),
      listAgents(deps),
      reportResult(deps),
    ],
  });
}

function draftAgent({ draft }: AgentToolDeps) {
  return defineTool({
    name: 'draft_agent',
    title: 'Draft an agent',
    description:
      'Draft an agent to work on a task and go on at once. It sees nothing of this conversation: put all it needs into the prompt. Wait for its result with await_agent.',
    effect: 'delegate',
    tier: 'session',
    // At a limit it may wait for its person.
    deadlineMs: noDeadline,
    input: z.strictObject({
      role: Slug.describe('What kind of agent, such as developer or reviewer'),
      prompt: Prompt.describe('What it is to do, what it must know, and what to report'),
      taskSlug: Slug.optional().describe('The task it works on; without it, your own or a new one'),
      budgetUsd: Budget.optional().describe('Dollars that it and all it drafts may spend'),
      isolation: Isolation.optional().describe(
        'worktree: its own git worktree and branch, so that it can change files beside others',
      ),
      cwd: z.string().min(1).max(4_096).optional().describe('Its directory, inside of your workspace'),
    }),
    output: z.object({
      agentId: z.string(),
      role: z.string(),
      taskSlug: z.string(),
      budgetUsd: z.number().nullable(),
    }),
    // For the same role on the same task a person need not be asked again.
    grantKey: ({ role }) => role,
    run: async (wanted, caller) => {
      const { id: agentId, role, taskSlug, budgetUsd } = await draft(wanted, caller).catch(refuse);
      return { agentId, role, taskSlug, budgetUsd };
    },
  });
}

function awaitAgent({ await: wait }: AgentToolDeps) {
  return defineTool({
    name: 'await_agent',
    title: 'Await an agent',
    description:
      'Wait until an agent that you have drafted has ended, and get its result. If it still runs when the time is up, status is "running": call it again.',
    effect: 'read',
    tier: 'auto',
    waits: true,
    deadlineMs: noDeadline,
    input: z.strictObject({ agentId: AgentId, timeoutSeconds: seconds }),
    output: awaited,
    run: async ({ agentId, timeoutSeconds }, caller) =>
      toAwaited(await wait(agentId, caller, timeoutSeconds).catch(refuse)),
  });
}

function awaitAnyAgent({ awaitAny }: AgentToolDeps) {
  return defineTool({
    name: 'await_any_agent',
    title: 'Await any agent',
    description:
      'Wait until one of several agents that you have drafted has ended, and get its id and result.',
    effect: 'read',
    tier: 'auto',
    waits: true,
    deadlineMs: noDeadline,
    input: z.strictObject({ agentIds: z.array(AgentId).min(1).max(100), timeoutSeconds: seconds }),
    output: awaited,
    run: async ({ agentIds, timeoutSeconds }, caller) => {
      const ended = await awaitAny(agentIds, caller, timeoutSeconds).catch(refuse);
      return ended ? toAwaited(ended) : { status: 'running' as const };
    },
  });
}

/** Why an agent failed was written for its person. */
function toAwaited<T extends { error?: { code: string; message: string } | undefined }>(ended: T): T {
  const { error } = ended;
  return error ? { ...ended, error: { ...error, message: toToolTerms(error.message) } } : ended;
}

function killAgent({ kill }: AgentToolDeps) {
  return defineTool({
    name: 'kill_agent',
    title: 'Kill an agent',
    description: 'End an agent that you have drafted, with its processes and all agents that it has drafted.',
    effect: 'delegate',
    tier: 'session',
    input: z.strictObject({ agentId: AgentId }),
    output: z.object({ success: z.boolean(), message: z.string(), killed: z.array(z.string()) }),
    // Whoever may end one of its own agents may end the others.
    grantKey: () => 'own agents',
    run: ({ agentId }, { sessionId }) => kill(agentId, sessionId).catch(refuse),
  });
}

function listAgents({ listFor }: AgentToolDeps) {
  return defineTool({
    name: 'list_agents',
    title: 'List agents',
    description: `List the agents of this run that still work, newest first, at most ${maxListed}. With all, those that have ended and those of earlier messages, too.`,
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({
      all: z.boolean().optional().describe('Those that have ended and those of earlier messages, too'),
    }),
    output: z.object({
      agents: z.array(listed),
      more: z.literal(true).optional().describe('There are older ones'),
    }),
    run: async ({ all = false }, { sessionId }) => {
      const agents = await listFor(sessionId, { all, limit: maxListed + 1 }).catch(refuse);
      return {
        agents: agents.slice(0, maxListed).map((agent) => listed.parse(agent)),
        ...(agents.length > maxListed && { more: true as const }),
      };
    },
  });
}

function reportResult({ report }: AgentToolDeps) {
  return defineTool({
    name: 'report_result',
    title: 'Report the result',
    description:
      'Report what came of your work, at the end of it: a summary, what you changed, issues that are left, questions. Whoever drafted you reads this and nothing else. Reporting again replaces it.',
    effect: 'read',
    tier: 'auto',
    input: Report,
    output: z.object({ accepted: z.literal(true) }),
    run: async (result, caller) => {
      await report(result, caller).catch(refuse);
      return { accepted: true as const };
    },
  });
}
