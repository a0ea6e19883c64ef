// The worktrees of agents: made before a turn, finished after it, and after a start those that the last server has left.
import { relative, resolve } from 'node:path';
import type { DispatchRow, Session, Store, Worktree } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';
import { createLeftovers, type WorktreeFinisher } from './leftover-worktrees.ts';

/** As much of worktrees as an agent's life needs. */
export interface WorktreeOpener extends WorktreeFinisher {
  open(plan: Worktree & { cwd: string }, signal?: AbortSignal): Promise<unknown>;
}

export interface AgentWorktreeDeps {
  store: Store;
  logger: Logger;
  worktrees: WorktreeOpener;
  /** A copy of a trusted workspace is trusted like it. */
  inheritTrust(from: string, to: string): Promise<void>;
  closeEngine(sessionId: string): Promise<void>;
}

export type AgentWorktrees = ReturnType<typeof createAgentWorktrees>;

export function createAgentWorktrees(deps: AgentWorktreeDeps) {
  const { logger, worktrees } = deps;
  const leftovers = createLeftovers(deps);

  return {
    /** Throws `worktree_failed`. */
    async prepare(
      { id, worktree }: Pick<DispatchRow, 'id' | 'worktree'>,
      { cwd, workspace }: Pick<Session, 'cwd' | 'workspace'>,
      signal: AbortSignal,
    ) {
      if (!worktree) return;
      await leftovers.settled(id);
      await worktrees.open({ ...worktree, cwd }, signal);
      await deps.inheritTrust(toOrigin(worktree, workspace), workspace);
    },

    async finish({ id, sessionId, taskSlug, worktree, keepWorktree = false }: DispatchRow) {
      if (!worktree) return undefined;
      try {
        // Nothing of the agent may still write there.
        await deps.closeEngine(sessionId);
        return await worktrees.finish(worktree, { keep: keepWorktree, taskSlug });
      } catch (cause) {
        logger.warn('could not finish a worktree', { cause, agentId: id });
        return { ...worktree, kept: true };
      }
    },

    /** After a start. */
    finishLeftovers: leftovers.finishAll,
  };
}

/** Where a workspace in a worktree is a copy from: `.worktrees/<id>` lies in its repository. */
function toOrigin({ path }: Worktree, workspace: string): string {
  return resolve(path, '..', '..', relative(path, workspace));
}
