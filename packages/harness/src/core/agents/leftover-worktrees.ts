// Worktrees of agents that ended with their server: finished behind a start, so that what was changed is on their branches.
// One whose agent is at work again by then is left alone; who goes to work while it is finished waits for that.
import { type DispatchRow, isLive, type Store, type Worktree } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';

/** How far back is looked: a server that is killed leaves few. */
const maxChecked = 500;

export interface WorktreeFinisher {
  finish(worktree: Worktree, ended: { keep: boolean; taskSlug: string }): Promise<Worktree>;
}

export interface LeftoverDeps {
  store: Store;
  logger: Logger;
  worktrees: WorktreeFinisher;
}

export type Leftovers = ReturnType<typeof createLeftovers>;

export function createLeftovers({ store, logger, worktrees }: LeftoverDeps) {
  /** Those that are looked at now, by agent: resolved when nothing more is done there. */
  const underWay = new Map<string, Promise<void>>();

  async function finish({ id, taskSlug, keepWorktree = false }: DispatchRow, left: Worktree): Promise<void> {
    const worktree = await worktrees.finish(left, { keep: keepWorktree, taskSlug });
    await store.commit(async (tx) => {
      const row = await tx.dispatch(id);
      // One that is about to go on there will leave something else.
      if (row && !isLive(row)) await tx.updateDispatch(id, { worktree });
    });
  }

  /** By the row as it is now: it was read for the list a while ago. */
  async function finishIfLeft(id: string): Promise<void> {
    try {
      const row = await store.reads.dispatch(id);
      if (row?.worktree && isLeft(row)) await finish(row, row.worktree);
    } catch (cause) {
      logger.warn('could not finish a worktree of an earlier run', { cause, agentId: id });
    }
  }

  return {
    async finishAll(signal: AbortSignal): Promise<void> {
      const rows = await store.reads.dispatches({ drafted: true, live: false, limit: maxChecked });
      for (const { id } of rows.filter(isLeft)) {
        if (signal.aborted) return;
        // Announced before it is read: whoever revives the agent is seen there, or waits here.
        const looked = Promise.resolve(id).then(finishIfLeft);
        underWay.set(id, looked);
        await looked;
        underWay.delete(id);
      }
    },

    /** Resolves when nothing of an earlier run is done in the agent's worktree any more. */
    settled: async (agentId: string): Promise<void> => underWay.get(agentId),
  };
}

function isLeft(row: DispatchRow): boolean {
  const { diff, kept } = row.worktree ?? { kept: true };
  return !isLive(row) && diff === undefined && kept !== true;
}
