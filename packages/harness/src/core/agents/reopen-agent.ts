// An agent whose turn is tried again is at work again, if there is still room for it where it was drafted.
import {
  type DispatchRow,
  isLive,
  type RunLimits,
  type RunRow,
  type StoreReads,
  type StoreWrites,
  ToolyardError,
  type Turn,
} from '@toolyard/sdk';
import { appendAgentUpdate } from '../agent-records/agent-records.ts';
import { countChildren } from '../agent-records/agent-tree.ts';
import { toLimitError } from '../budget/run-limits.ts';
import type { Tasks } from '../tasks/tasks.ts';

export interface ReopenAgentDeps {
  reads: StoreReads;
  tasks: Pick<Tasks, 'requireOpen'>;
  limitsOf(rootSessionId: string, run: Pick<RunRow, 'raised'>): Promise<RunLimits>;
}

export type ReopenAgent = ReturnType<typeof createReopenAgent>;

export function createReopenAgent({ reads, tasks, limitsOf }: ReopenAgentDeps) {
  return {
    /** What the run of an agent may use that would be tried again. Reads files: nobody may wait for that in a commit. */
    async limits(sessionId: string): Promise<RunLimits | undefined> {
      const last = await reads.latestTurn(sessionId);
      const row = last && (await reads.dispatchOfTurn(last.id));
      const run = row?.drafted && !isLive(row) ? await reads.run(row.runId) : undefined;
      return run && limitsOf(run.rootSessionId, run);
    },

    /**
     * Inside the commit that queues it again. Throws what stands in the way: a closed task, an agent above it that has ended,
     * no room.
     */
    async in(
      tx: StoreWrites,
      retryOf: string,
      { id, createdAt }: Turn,
      limits: RunLimits | undefined,
    ): Promise<void> {
      const row = await tx.dispatchOfTurn(retryOf);
      if (!row?.drafted || isLive(row)) return;
      await tasks.requireOpen(tx, row.taskSlug);
      const parent = row.parentAgentId ? await tx.dispatch(row.parentAgentId) : undefined;
      if (parent && !isLive(parent) && parent.status !== 'done') throw endedAbove(parent);
      if (limits) await requireRoom(tx, row, Math.min(limits.maxChildren, parent?.maxChildren ?? Infinity));
      await tx.reopenDispatch(row.id, id);
      await appendAgentUpdate(tx, row.id, createdAt);
    },
  };
}

/** As many as may be drafted may be at work. */
async function requireRoom(
  tx: StoreReads,
  { parentSessionId, runId }: DispatchRow,
  max: number,
): Promise<void> {
  const drafter = parentSessionId ? await tx.session(parentSessionId) : undefined;
  if (!drafter) return;
  const used = await countChildren(tx, drafter, runId);
  if (used >= max) throw toLimitError({ limit: 'maxChildren', max, used });
}

function endedAbove({ id, status }: DispatchRow): ToolyardError {
  const message = `The agent ${id}, which drafted this one, has ended: ${status}. Retry that agent first.`;
  return new ToolyardError('agent_ended', message);
}
