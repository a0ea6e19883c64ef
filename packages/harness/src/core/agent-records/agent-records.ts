// An agent as its row has it, as others see it, and the event by which whoever drafted it hears of it.
import type {
  Agent,
  AgentResult,
  AwaitedAgent,
  DispatchRow,
  EventDraft,
  Role,
  RoleCeiling,
  StoreWrites,
} from '@toolyard/sdk';
import { Agent as AgentSchema, isLive } from '@toolyard/sdk';

/** Without what is only for the harness. */
export function toAgent(row: DispatchRow): Agent {
  return AgentSchema.parse(row);
}

/** What somebody hears who waits for it. The same whenever it is asked for, once the agent has ended. */
export function toAwaited(row: DispatchRow): AwaitedAgent {
  const { id: agentId, status, result, error, worktree, costUsd, startedAt, endedAt } = row;
  if (isLive(row)) return { agentId, status: 'running' };
  // What those under it still spend, or somebody in its session, is not what it has ended with.
  const { costUsd: atEnd, ...reported } = result ?? {};
  const durationMs = endedAt ? Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) : 0;
  return {
    agentId,
    status,
    costUsd: atEnd === undefined ? costUsd : atEnd,
    durationMs,
    ...(result && { result: reported as AgentResult }),
    ...(error && { error }),
    ...(worktree && { worktree }),
  };
}

export function toCeiling(
  { name, category, access, tools: { allow, deny } }: Role,
  workspace: string,
): RoleCeiling {
  return { name, category, ...(access && { access }), tools: { allow, deny }, workspace };
}

/** Into the log of whoever drafted it, and of the root: both see the tree without asking. */
export async function appendAgentUpdate(tx: StoreWrites, id: string, at: string): Promise<void> {
  const row = await tx.dispatch(id);
  if (!row?.drafted) return;
  const { parentSessionId, rootSessionId, sessionId } = row;
  const draft: EventDraft = { type: 'agent_update', data: { agent: toAgent(row) } };
  const ids = new Set([parentSessionId ?? rootSessionId, rootSessionId]);
  ids.delete(sessionId);
  for (const each of ids) if (await tx.session(each)) await tx.append([{ ...draft, sessionId: each, at }]);
}

/** It begins, or goes on after a restart: then it may still wait for its person. */
export async function startIn(
  tx: StoreWrites,
  { id, sessionId }: DispatchRow,
  { isResumed, at }: { isResumed: boolean; at: string },
): Promise<void> {
  const isWaiting = isResumed && (await tx.session(sessionId))?.status === 'waiting';
  const status = isWaiting ? 'waiting' : 'running';
  await tx.updateDispatch(id, { status, ...(!isResumed && { startedAt: at }) });
  await appendAgentUpdate(tx, id, at);
}

/** An agent whose session waits for a person waits, whatever else it does; an agent that has ended stays as it is. */
export async function syncAgentStatus(
  tx: StoreWrites,
  sessionId: string,
  wanted: 'running' | 'waiting',
  at: string,
): Promise<void> {
  const session = await tx.session(sessionId);
  const status = session?.status === 'waiting' ? 'waiting' : wanted;
  const row = session?.agentId ? await tx.dispatch(session.agentId) : undefined;
  if (!row || !isLive(row) || row.status === status || row.status === 'queued') return;
  await tx.updateDispatch(row.id, { status });
  await appendAgentUpdate(tx, row.id, at);
}

/** What a descendant asks its person stands in the root's log, too, so that it can be answered there. */
export async function appendAtRoot(
  tx: StoreWrites,
  { sessionId, rootSessionId }: { sessionId: string; rootSessionId: string },
  at: string,
  draft: EventDraft,
): Promise<void> {
  if (rootSessionId === sessionId || !(await tx.session(rootSessionId))) return;
  await tx.append([{ ...draft, sessionId: rootSessionId, at }]);
}
