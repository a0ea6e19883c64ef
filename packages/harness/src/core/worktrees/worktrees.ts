// Git worktrees for agents that work apart from the others: a branch and a directory of its own each, below `.worktrees`
// of the repository. The room's entry point; nothing in the repository runs, and what an agent left is never lost.
import { join, sep } from 'node:path';
import { AgentId, Slug, type Worktree } from '@toolyard/sdk';
import { createKeyedMutex } from '../lib/keyed-mutex.ts';
import type { Logger } from '../lib/ports.ts';
import { folderName } from './worktree-files.ts';
import { finishWorktree } from './worktree-finish.ts';
import type { Git } from './worktree-git.ts';
import { openWorktree, toPlace } from './worktree-open.ts';
import { findRepository } from './worktree-repository.ts';

export interface WorktreePlan extends Pick<Worktree, 'branch' | 'path' | 'base'> {
  /** Where the agent works: as far inside the worktree as the given directory was in its own. */
  cwd: string;
}

export interface FinishWorktree {
  /** Leave the directory there. */
  keep: boolean;
  taskSlug: string;
  signal?: AbortSignal | undefined;
}

export interface WorktreeDeps {
  git: Git;
  /** A worktree of another home is let alone. */
  home: string;
  logger: Logger;
}

export type Worktrees = ReturnType<typeof createWorktrees>;

export function createWorktrees({ git, home, logger }: WorktreeDeps) {
  const deps = { git, home, mutex: createKeyedMutex() };

  async function finish(worktree: Worktree, wanted: FinishWorktree): Promise<Worktree> {
    const place = await toPlace(deps, worktree, wanted.signal);
    return finishWorktree(git, place, { ...wanted, logger });
  }

  return {
    /** Can an agent have a worktree here? Throws `not_a_repository`, and `worktree_failed` when there is no git. */
    async check(cwd: string, signal?: AbortSignal): Promise<void> {
      await findRepository(git, cwd, signal);
    },

    /** What `open` is to make. Changes nothing; throws as `check` does. */
    async plan(
      cwd: string,
      { agentId, taskSlug, signal }: { agentId: string; taskSlug: string; signal?: AbortSignal },
    ): Promise<WorktreePlan> {
      const id = AgentId.parse(agentId);
      const { top, inside, head } = await findRepository(git, cwd, signal);
      const path = [top === sep ? '' : top, folderName, id].join(sep);
      const branch = `toolyard/${Slug.parse(taskSlug)}-${id.slice(-8)}`;
      return { branch, path, base: head, cwd: join(path, inside) };
    },

    /** Makes it. After a crash it may be called again: what is complete is used as it is. Throws `worktree_failed`. */
    async open({ cwd, branch, path, base }: WorktreePlan, signal?: AbortSignal): Promise<Worktree> {
      const place = await toPlace(deps, { branch, path, base }, signal);
      await openWorktree(git, place, cwd, signal);
      return { branch, path, base };
    },

    /**
     * Commits what its agent left, counts what was changed, removes the directory, and the branch if nothing was.
     * No process of the agent may be there any more. May be called again.
     */
    finish,
  };
}
