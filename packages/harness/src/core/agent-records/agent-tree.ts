// Who is whose: the agents above a session, those under it, and whether one may be asked about by another.
import {
  type DispatchFilter,
  type DispatchRow,
  isLive,
  type Session,
  type StoreReads,
  ToolyardError,
} from '@toolyard/sdk';
import { isPersonsCall, toCallers } from '../identity/callers.ts';

/** The agent that works in a session and those that drafted it, from below. A person's own session has none. */
export async function readAgentChain(
  reads: StoreReads,
  { agentId }: Pick<Session, 'agentId'>,
): Promise<DispatchRow[]> {
  const chain: DispatchRow[] = [];
  for (let id = agentId; id !== undefined; ) {
    const row: DispatchRow | undefined = await reads.dispatch(id);
    if (!row) break;
    chain.push(row);
    id = row.parentAgentId;
  }
  return chain;
}

/** All that still work under a session, nearest first. */
export async function liveDescendants(reads: StoreReads, sessionId: string): Promise<DispatchRow[]> {
  return (await allDescendants(reads, sessionId)).filter(isLive);
}

/** All that were drafted under a session, nearest first. */
export async function allDescendants(reads: StoreReads, sessionId: string): Promise<DispatchRow[]> {
  const found: DispatchRow[] = [];
  const parents = [sessionId];
  const seen = new Set(parents);
  for (let parent = parents.shift(); parent !== undefined; parent = parents.shift()) {
    for (const row of await childrenOf(reads, parent)) {
      if (seen.has(row.sessionId)) continue;
      seen.add(row.sessionId);
      parents.push(row.sessionId);
      found.push(row);
    }
  }
  return found;
}

async function childrenOf(reads: StoreReads, parentSessionId: string): Promise<DispatchRow[]> {
  return reads.dispatches({ parentSessionId, drafted: true, limit: 100_000 });
}

/** The live ones. Of a client those, too, that it has drafted when it was connected before. */
export async function countChildren(reads: StoreReads, drafter: Session, runId: string): Promise<number> {
  const live = { drafted: true, live: true };
  if (!toCallers(drafter)) return reads.countDispatches({ ...live, parentSessionId: drafter.id });
  const ofRun = await reads.dispatches({ ...live, runId, limit: 10_000 });
  return ofRun.filter(({ depth }) => depth === 1).length;
}

export async function findAgent(reads: StoreReads, id: string): Promise<DispatchRow> {
  const row = await reads.dispatch(id);
  if (row?.drafted) return row;
  const message = `There is no agent ${id.slice(0, 60)}. List them with \`toolyard agents list --all\`.`;
  throw new ToolyardError('agent_not_found', message);
}

/** The agent, if `caller` drafted it or one above it. A person may ask about any. */
export async function findOwnAgent(
  reads: StoreReads,
  id: string,
  caller: Session | undefined,
): Promise<DispatchRow> {
  const row = await findAgent(reads, id);
  if (!caller || isPersonsCall(caller) || (await isAncestor(reads, caller, row))) return row;
  const message = `The agent ${id} was not drafted by you or by one of your agents.`;
  throw new ToolyardError('not_your_agent', message);
}

/** The agents that a caller may ask about. */
export function agentsOf(caller: Session): DispatchFilter {
  if (isPersonsCall(caller)) return {};
  const under = toCallers(caller);
  return under ? { under } : { rootSessionId: caller.rootSessionId };
}

async function isAncestor(reads: StoreReads, caller: Session, row: DispatchRow): Promise<boolean> {
  if (await isOfCaller(reads, caller, row)) return true;
  for (let each: DispatchRow | undefined = row; each; ) {
    if (each.parentSessionId === caller.id) return true;
    each = each.parentAgentId ? await reads.dispatch(each.parentAgentId) : undefined;
  }
  return false;
}

/** Drafted by the same client, when it was connected before. */
async function isOfCaller(
  reads: StoreReads,
  caller: Session,
  { rootSessionId }: DispatchRow,
): Promise<boolean> {
  if (!toCallers(caller)) return false;
  const root = await reads.session(rootSessionId);
  return root?.caller === caller.caller && root?.role === caller.role && root?.cwd === caller.cwd;
}
