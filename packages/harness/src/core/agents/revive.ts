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
import type { Tasks } from '../tasks.ts';
import { tellAgent } from './agent-rows.ts';
import { countChildren } from './family.ts';
import { toLimitError } from './run-limits.ts';

export interface ReviveDeps {
  reads: StoreReads;
  tasks: Pick<Tasks, 'requireOpen'>;
  limitsOf(rootSessionId: string, run: Pick<RunRow, 'raised'>): Promise<RunLimits>;
}

export type Revive = ReturnType<typeof createRevive>;

export function createRevive({ reads, tasks, limitsOf }: ReviveDeps) {
  /** As many as may be drafted may be at work. */
  async function requireRoom({ parentSessionId, parentAgentId, runId }: DispatchRow): Promise<void> {
    const drafter = parentSessionId ? await reads.session(parentSessionId) : undefined;
    const run = await reads.run(runId);
    if (!drafter || !run) return;
    const parent = parentAgentId ? await reads.dispatch(parentAgentId) : undefined;
    const { maxChildren } = await limitsOf(run.rootSessionId, run);
    const max = Math.min(maxChildren, parent?.maxChildren ?? maxChildren);
    const used = await countChildren(reads, drafter, runId);
    if (used >= max) throw toLimitError({ limit: 'maxChildren', max, used });
  }

  return {
    /** Throws what stands in the way of trying it again: a closed task, an agent above it that has ended, no room. */
    async check(sessionId: string): Promise<void> {
      const last = await reads.latestTurn(sessionId);
      const row = last && (await reads.dispatchOfTurn(last.id));
      if (!row?.drafted || isLive(row)) return;
      await tasks.requireOpen(reads, row.taskSlug);
      const parent = row.parentAgentId ? await reads.dispatch(row.parentAgentId) : undefined;
      if (parent && !isLive(parent) && parent.status !== 'done') throw endedAbove(parent);
      await requireRoom(row);
    },

    /** Inside the commit that queues it again. */
    async in(tx: StoreWrites, retryOf: string, { id, createdAt }: Turn): Promise<void> {
      const row = await tx.dispatchOfTurn(retryOf);
      if (!row?.drafted || isLive(row)) return;
      await tx.reopenDispatch(row.id, id);
      await tellAgent(tx, row.id, createdAt);
    },
  };
}

function endedAbove({ id, status }: DispatchRow): ToolyardError {
  const message = `The agent ${id}, which drafted this one, has ended: ${status}. Try that one again first.`;
  return new ToolyardError('agent_ended', message);
}
