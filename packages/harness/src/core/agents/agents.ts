// Agents, for whoever may have them: a model by its tools, a person by a page or a command. Thin over the parts.

import {
  type Actor,
  type Agent,
  type AwaitedAgent,
  type Config,
  type DispatchFilter,
  type DraftAgent,
  type KilledAgent,
  type Progress,
  type Report,
  type Role,
  type Run,
  type RunRow,
  type Session,
  type Store,
  ToolyardError,
} from '@toolyard/sdk';
import { type AncestorRoles, judgeAccess } from '../access/access.ts';
import { toAgent } from '../agent-records/agent-records.ts';
import { agentsOf, findAgent } from '../agent-records/agent-tree.ts';
import { toChangeEntry, toLineage } from '../audit/audit-changes.ts';
import type { Account } from '../budget/account.ts';
import { draftTool } from '../calls/resume.ts';
import { isPersonsCall } from '../identity/callers.ts';
import type { NewId } from '../lib/ids.ts';
import { requireCursor } from '../lib/page-cursor.ts';
import type { Clock, OnCrashPoint } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import { directEngine } from '../session-records/direct-turns.ts';
import type { Awaiting } from './await-agents.ts';
import type { Draft } from './draft.ts';
import type { Kill } from './kill.ts';

/** What a connection over a network is held open for without a sign. */
const remoteWaitMs = 45_000;
/** A tool that waits answers so long before its stream would be closed. */
const beforeCloseMs = 5_000;

export interface AgentsDeps {
  store: Store;
  log: Log;
  clock: Clock;
  onCrashPoint: OnCrashPoint;
  newId: NewId;
  draft: Draft;
  awaiting: Awaiting;
  kill: Kill;
  /** What a session's agent is now. */
  resolve(session: Session): Promise<{ role: Role; config: Config; ancestorRoles?: AncestorRoles }>;
  /** Of the turn under way in a session. */
  accountOf(sessionId: string): Account | undefined;
  limitsOf(rootSessionId: string, run: Pick<RunRow, 'raised'>): Promise<Run['limits']>;
  /** As many as count. */
  minutesOf(run: RunRow): Promise<number>;
}

/** A call of a tool, as far as agents must know it. */
export interface Caller {
  sessionId: string;
  turnId: string;
  toolCallId: string;
  signal: AbortSignal;
  progress(report: Progress): void;
}

/** What somebody may see who does not see all. */
export interface Bounds {
  taskSlug: string | undefined;
  agents: DispatchFilter;
}

export type Agents = ReturnType<typeof createAgents>;

export function createAgents(deps: AgentsDeps) {
  const { store, log, clock, draft, awaiting, kill } = deps;

  async function sessionOf(id: string): Promise<Session> {
    const session = await store.reads.session(id);
    if (session) return session;
    throw new ToolyardError('session_not_found', `There is no session ${id.slice(0, 60)}.`);
  }

  async function note(actor: Actor, change: 'agent_drafted' | 'agent_killed', agent: Agent): Promise<void> {
    const { id: subject, sessionId, rootSessionId, parentAgentId, depth } = agent;
    const lineage = toLineage({ rootSessionId, parentAgentId, agentId: subject, depth });
    const entry = toChangeEntry(clock, actor, { change, sessionId, subject, lineage });
    await store.commit((tx) => tx.appendAudit(entry));
  }

  /** Who may not draft sees its own task and the agents beside it, or in its own session: nothing else. */
  async function boundsOf(session: Session): Promise<Bounds | undefined> {
    if (isPersonsCall(session)) return undefined;
    const { role, config, ancestorRoles } = await deps.resolve(session);
    if (judgeAccess(role, draftTool, config, ancestorRoles).offered) return undefined;
    const { taskSlug, agentId } = session;
    const own = agentId ? await store.reads.dispatch(agentId) : undefined;
    const { parentSessionId } = own ?? {};
    const agents = own ? { taskSlug, ...(parentSessionId && { parentSessionId }) } : agentsOf(session);
    return { taskSlug, agents };
  }

  /** None: the session has no turn under way, or is not one to converse in. */
  async function runOf({ id, agentId }: Session): Promise<string | undefined> {
    const own = agentId ? await store.reads.dispatch(agentId) : undefined;
    return own?.runId ?? deps.accountOf(id)?.run.row.id;
  }

  async function toWaiting(caller: Caller, seconds: number | undefined) {
    const session = await sessionOf(caller.sessionId);
    const { config } = await deps.resolve(session);
    const isRemote = session.engine === directEngine;
    const maxMs = isRemote ? remoteWaitMs : Math.max(1_000, config.mcp.streamTimeout - beforeCloseMs);
    const timeoutMs = Math.min(maxMs, seconds === undefined ? maxMs : seconds * 1_000);
    return { caller: session, timeoutMs, signal: caller.signal, progress: caller.progress };
  }

  return {
    async draft(wanted: DraftAgent, { sessionId, turnId, toolCallId, signal }: Caller): Promise<Agent> {
      const session = await sessionOf(sessionId);
      const by = { session, turnId, toolCallId, signal, ...(await deps.resolve(session)) };
      return toAgent(await draft(wanted, by));
    },

    /** By a person: an agent of their own, or one for a session of theirs. */
    async draftBy(actor: Actor, wanted: DraftAgent, sessionId?: string): Promise<Agent> {
      const session = sessionId === undefined ? undefined : await sessionOf(sessionId);
      const by = session && {
        session,
        turnId: deps.newId('trn'),
        signal: new AbortController().signal,
        isPerson: true,
        ...(await deps.resolve(session)),
      };
      const agent = toAgent(await draft(wanted, by));
      await note(actor, 'agent_drafted', agent);
      return agent;
    },

    async await(id: string, caller: Caller, seconds?: number): Promise<AwaitedAgent> {
      return awaiting.one(id, await toWaiting(caller, seconds));
    },

    async awaitAny(
      ids: readonly string[],
      caller: Caller,
      seconds?: number,
    ): Promise<AwaitedAgent | undefined> {
      return awaiting.any(ids, await toWaiting(caller, seconds));
    },

    /** By a person. */
    awaitFor: (id: string, signal: AbortSignal, seconds = remoteWaitMs / 1_000): Promise<AwaitedAgent> =>
      awaiting.one(id, { timeoutMs: seconds * 1_000, signal }),

    async kill(id: string, sessionId: string): Promise<KilledAgent> {
      return kill.kill(id, await sessionOf(sessionId));
    },

    /** By a person, who may end any. */
    async killBy(actor: Actor, id: string): Promise<KilledAgent> {
      await note(actor, 'agent_killed', toAgent(await findAgent(store.reads, id)));
      return kill.kill(id, undefined);
    },

    /** The live ones of the caller's run, or all that it may know of. Newest first. */
    async listFor(sessionId: string, { all, limit }: { all: boolean; limit: number }): Promise<Agent[]> {
      const session = await sessionOf(sessionId);
      const agents = (await boundsOf(session))?.agents ?? agentsOf(session);
      const runId = all ? undefined : await runOf(session);
      const filter = { ...agents, ...(!all && { live: true }), ...(runId && { runId }) };
      return (await store.reads.dispatches({ ...filter, drafted: true, limit })).map(toAgent);
    },

    async list(filter: DispatchFilter & { limit: number; after?: string | undefined }): Promise<Agent[]> {
      await requireCursor(filter.after, store.reads.dispatch);
      return (await store.reads.dispatches({ ...filter, drafted: true })).map(toAgent);
    },

    get: async (id: string): Promise<Agent> => toAgent(await findAgent(store.reads, id)),

    /** The task that a caller is bound to, if it has one; nothing when it may see all. */
    async boundOf(sessionId: string): Promise<Pick<Bounds, 'taskSlug'> | undefined> {
      return boundsOf(await sessionOf(sessionId));
    },

    /** The last one before the end counts. Throws `agent_ended` after it. */
    async report(report: Report, { sessionId }: Pick<Caller, 'sessionId'>): Promise<void> {
      const { agentId } = await sessionOf(sessionId);
      if (!agentId)
        throw new ToolyardError(
          'agent_not_found',
          'No agent drafted you, so no one awaits a report. Put the result in your answer.',
        );
      await log.commit(sessionId, async (tx) => {
        const row = await tx.dispatch(agentId);
        if (!row || row.endedAt)
          throw new ToolyardError('agent_ended', 'This agent has ended; its result is final.');
        await tx.updateDispatch(row.id, { report });
      });
      deps.onCrashPoint('agent.reported');
    },

    async run(id: string): Promise<Run> {
      const row = await store.reads.run(id);
      if (!row) throw new ToolyardError('run_not_found', `There is no run ${id.slice(0, 60)}.`);
      const { rootSessionId, startedAt, agents, spentUsd: costUsd, tokens } = row;
      const live = await store.reads.countDispatches({ runId: id, drafted: true, live: true });
      const used = { agents, live, costUsd, tokens, minutes: await deps.minutesOf(row) };
      return { id, rootSessionId, startedAt, limits: await deps.limitsOf(rootSessionId, row), used };
    },
  };
}
