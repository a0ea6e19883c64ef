// Ending agents: the turn, its processes and everything drafted under it. Answers only once they are gone.
import {
  type DispatchRow,
  isLive,
  type KilledAgent,
  pause,
  type Session,
  type Store,
  ToolyardError,
} from '@toolyard/sdk';
import { findKin, liveBelow } from './family.ts';

/** By then whatever was told to stop has stopped. */
const withinMs = 4_500;
const lookEveryMs = 20;

export interface KillDeps {
  store: Store;
  /** Stops the turn under way in a session, one that still waits for its slot too. */
  stopTurn(sessionId: string, reason: ToolyardError): Promise<void>;
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

  /** Says whether it has ended. */
  async function end({ id, sessionId }: DispatchRow): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      await stopTurn(sessionId, reason).catch(() => {});
      if (!(await isAtWork(id, sessionId))) break;
      if (performance.now() > deadline) return false;
      // Its turn is just being begun.
      await pause(lookEveryMs);
    }
    await removeEngine(sessionId);
    return true;
  }

  /** Until there are none: one that is being stopped may just have drafted another. */
  async function below(sessionId: string, runId?: string): Promise<{ killed: string[]; left: string[] }> {
    const killed: string[] = [];
    for (;;) {
      const all = await liveBelow(store.reads, sessionId);
      const rows = all.filter((row) => runId === undefined || row.runId === runId);
      if (rows.length === 0) return { killed, left: [] };
      const ended = await Promise.all(rows.map(async (row) => ({ row, isEnded: await end(row) })));
      killed.push(...ended.filter(({ isEnded }) => isEnded).map(({ row }) => row.id));
      const left = ended.filter(({ isEnded }) => !isEnded).map(({ row }) => row.id);
      if (left.length > 0) return { killed, left };
    }
  }

  return {
    below,

    /** Throws `agent_not_found` and `not_your_agent`. Without a caller, a person asks. */
    async kill(id: string, caller: Session | undefined): Promise<KilledAgent> {
      const row = await findKin(store.reads, id, caller);
      // Whoever is stopped stops those under it by itself.
      const before = await liveBelow(store.reads, row.sessionId);
      const isSelf = await isAtWork(row.id, row.sessionId);
      const isEnded = !isSelf || (await end(row));
      const { killed, left } = await below(row.sessionId);
      const still = [...(isEnded ? [] : [id]), ...left];
      const under = new Set(
        [...before.map((each) => each.id), ...killed].filter((each) => !still.includes(each)),
      );
      return toAnswer(row, { killed: [...(isSelf && isEnded ? [id] : []), ...under], still });
    },
  };
}

function toAnswer(
  { id, status }: DispatchRow,
  { killed, still }: { killed: string[]; still: string[] },
): KilledAgent {
  if (still.length > 0) {
    const message = `Told to stop, but not stopped yet: ${still.join(', ')}. Look again in a moment.`;
    return { success: false, message, killed };
  }
  if (killed.length === 0)
    return { success: false, message: `The agent had already ended: ${status}.`, killed };
  const others = killed.filter((each) => each !== id).length;
  const self = killed.includes(id) ? `Killed ${id}` : `${id} had already ended. Killed`;
  return { success: true, message: `${self}${others > 0 ? ` and ${others} under it` : ''}.`, killed };
}
