// Ending agents: the turn, its processes and everything drafted under it. Answers only once they are gone.
import {
  type DispatchRow,
  isLive,
  type KilledAgent,
  pause,
  type Session,
  type Store,
  type StoreReads,
  ToolyardError,
} from '@toolyard/sdk';
import { findOwnAgent, liveDescendants } from '../agent-records/agent-tree.ts';
import { isCallerOf } from '../identity/callers.ts';

/** By then whatever was told to stop has stopped. */
const killTimeoutMs = 4_500;
const pollIntervalMs = 20;

export interface KillDeps {
  store: Store;
  /** Stops the turn under way in a session, one that still waits for its slot too. Waits no longer than that. */
  stopTurn(sessionId: string, reason: ToolyardError, timeoutMs: number): Promise<void>;
  /** Ends the program of a session's engine and waits until it has left. */
  removeEngine(sessionId: string): Promise<void>;
}

export type Kill = ReturnType<typeof createKill>;

export function createKill({ store, stopTurn, removeEngine }: KillDeps) {
  const reason = new ToolyardError('killed', 'The agent was killed.');

  /** The agent itself, or whoever has sent its session another message since. */
  async function isAtWork(id: string, sessionId: string): Promise<boolean> {
    const row = await store.reads.dispatch(id);
    return (row !== undefined && isLive(row)) || (await store.reads.openTurns(sessionId)).length > 0;
  }

  /** Says whether it has ended by then. */
  async function end({ id, sessionId }: DispatchRow, deadline: number): Promise<boolean> {
    for (;;) {
      const leftMs = Math.max(0, deadline - performance.now());
      await stopTurn(sessionId, reason, leftMs).catch(() => {});
      if (!(await isAtWork(id, sessionId))) break;
      if (performance.now() > deadline) return false;
      // Its turn is just being begun.
      await pause(pollIntervalMs);
    }
    await removeEngine(sessionId);
    return true;
  }

  /** Until there are none: one that is being stopped may just have drafted another. */
  async function killDescendants(
    sessionId: string,
    runId?: string,
    deadline = performance.now() + killTimeoutMs,
  ): Promise<{ signalled: string[]; left: string[] }> {
    const signalled: string[] = [];
    for (;;) {
      const all = await liveDescendants(store.reads, sessionId);
      const rows = all.filter((row) => runId === undefined || row.runId === runId);
      if (rows.length === 0) return { signalled, left: [] };
      signalled.push(...rows.map(({ id }) => id));
      const ended = await Promise.all(rows.map(async (row) => ({ row, isEnded: await end(row, deadline) })));
      const left = ended.filter(({ isEnded }) => !isEnded).map(({ row }) => row.id);
      if (left.length > 0) return { signalled, left };
    }
  }

  /** Some had come to another end before they heard of it. */
  async function killedOf(ids: Iterable<string>): Promise<string[]> {
    const rows = await Promise.all([...new Set(ids)].map((id) => store.reads.dispatch(id)));
    return rows.flatMap((row) => (row?.status === 'killed' ? [row.id] : []));
  }

  return {
    killDescendants,

    /** Throws `agent_not_found` and `not_your_agent`. Without a caller, a person asks. */
    async kill(id: string, caller: Session | undefined): Promise<KilledAgent> {
      const deadline = performance.now() + killTimeoutMs;
      const row = await findOwnAgent(store.reads, id, caller);
      // Whoever is stopped stops those under it by itself.
      const before = await liveDescendants(store.reads, row.sessionId);
      const isSelf = await isAtWork(row.id, row.sessionId);
      const isEnded = !isSelf || (await end(row, deadline));
      const { signalled, left } = await killDescendants(row.sessionId, undefined, deadline);
      const still = [...(isEnded ? [] : [id]), ...left];
      const under = await killedOf([...before.map((each) => each.id), ...signalled]);
      const { status } = (await store.reads.dispatch(id)) ?? row;
      // What was stopped after its end is somebody's later message to it.
      const isKilled = isSelf && isEnded && (status === 'killed' || !isLive(row));
      return toAnswer({ id, status }, { killed: [...(isKilled ? [id] : []), ...under], still });
    },
  };
}

function toAnswer(
  { id, status }: Pick<DispatchRow, 'id' | 'status'>,
  { killed, still }: { killed: string[]; still: string[] },
): KilledAgent {
  if (still.length > 0) {
    const message = `Still stopping: ${still.join(', ')}. Check again in a moment.`;
    return { success: false, message, killed };
  }
  const others = killed.filter((each) => each !== id).length;
  const under = `${others} under it`;
  if (killed.includes(id))
    return { success: true, message: `Killed ${id}${others > 0 ? ` and ${under}` : ''}.`, killed };
  const ended = `The agent had already ended: ${status}.`;
  if (others === 0) return { success: false, message: ended, killed };
  return { success: true, message: `${ended} Killed ${under}.`, killed };
}

/** More than any limits let work at once. */
const maxAgents = 100_000;

/** A token was revoked: nobody is left to wait for the agents of its client, or to stop them. */
export async function endAgentsOf(
  tokenId: string,
  reads: StoreReads,
  kill: Pick<Kill, 'killDescendants'>,
): Promise<void> {
  const live = await reads.dispatches({ live: true, limit: maxAgents });
  for (const id of new Set(live.map(({ rootSessionId }) => rootSessionId))) {
    const root = await reads.session(id);
    if (root && isCallerOf(tokenId, root)) await kill.killDescendants(id);
  }
}
