// Worktrees of agents that ended with their server: finished behind a start, so that what was changed is on their branches.
import { isLive, type Store, type Worktree } from '@toolyard/sdk';
import type { Logger } from '../ports.ts';
import type { WorktreeLife } from './life.ts';

/** How far back is looked: a server that is killed leaves few. */
const newest = 500;

export async function finishLeftovers(
  { store, logger, worktrees }: { store: Store; logger: Logger; worktrees: Pick<WorktreeLife, 'finish'> },
  signal: AbortSignal,
): Promise<void> {
  const rows = await store.reads.dispatches({ drafted: true, live: false, limit: newest });
  for (const { id, taskSlug, worktree, keepWorktree = false, ...row } of rows) {
    if (signal.aborted) return;
    if (!worktree || !isLeft(worktree) || isLive(row)) continue;
    try {
      const finished = await worktrees.finish(worktree, { keep: keepWorktree, taskSlug });
      await store.commit((tx) => tx.updateDispatch(id, { worktree: finished }));
    } catch (cause) {
      logger.warn('a worktree of an earlier run could not be finished', { cause, path: worktree.path });
    }
  }
}

function isLeft({ diff, kept }: Worktree): boolean {
  return diff === undefined && kept !== true;
}
