// Worktrees that a killed server left: finished once, never under an agent that is at work in one again.
import type { Worktree } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { createAgentWorktrees } from '../../../src/core/agents/agent-worktrees.ts';
import { newPath, openTestStore } from '../../store/support.ts';
import { quiet } from '../../support/yard.ts';
import { idOf, insertDispatches, sampleDispatch, startOfDay } from '../tasks/dispatch-samples.ts';

const place = (number: number): Worktree => ({ branch: `b${number}`, path: `/w${number}`, base: 'c0ffee' });
const diff = { files: 1, insertions: 1, deletions: 0, commits: 1 };

/** Two agents that have ended with their server; the newer one is looked at first. `gate` holds what is done there. */
async function open() {
  const { store } = await openTestStore(newPath());
  await store.commit((tx) => tx.insertTask({ slug: 'checkout', description: '', createdAt: startOfDay }));
  const failed = { status: 'failed' } as const;
  const rows = [1, 2].map((number) => sampleDispatch(number, { ...failed, worktree: place(number) }));
  await insertDispatches(store, rows);
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const finish = async (worktree: Worktree) => {
    begun.resolve();
    await gate.promise;
    done.push(`finish ${worktree.branch}`);
    return { ...worktree, diff };
  };
  const opens = async ({ branch }: Worktree) => void done.push(`open ${branch}`);
  const worktrees = createAgentWorktrees({
    store,
    logger: quiet,
    worktrees: { open: opens, finish },
    inheritTrust: async () => {},
    closeEngine: async () => {},
  });
  const { signal } = new AbortController();
  const all = worktrees.finishLeftovers(signal);
  await begun.promise;
  const reopenAgent = (number: number) =>
    store.commit((tx) => tx.reopenDispatch(idOf('agt', number), idOf('trn', number + 50)));
  const worktreeOf = async (number: number) => (await store.reads.dispatch(idOf('agt', number)))?.worktree;
  const prepare = (number: number) =>
    worktrees.prepare(
      { id: idOf('agt', number), worktree: place(number) },
      { cwd: '/w', workspace: '/w' },
      signal,
    );
  return { prepare, all, gate, done, reopenAgent, worktreeOf };
}

describe('a worktree that a killed server left', () => {
  it('is finished, and what was found there is stored', async () => {
    const { all, gate, done, worktreeOf } = await open();
    gate.resolve();
    await all;
    expect(done).toEqual(['finish b2', 'finish b1']);
    expect(await worktreeOf(1)).toEqual({ ...place(1), diff });
  });

  it('is left alone when its agent is at work again by then', async () => {
    const { prepare, all, gate, done, reopenAgent, worktreeOf } = await open();
    await reopenAgent(1);
    await prepare(1);
    gate.resolve();
    await all;
    expect(done).toEqual(['open b1', 'finish b2']);
    expect(await worktreeOf(1)).toEqual(place(1));
  });

  it('is waited for by whoever goes to work in it meanwhile, and nothing of before is said of it', async () => {
    const { prepare, all, gate, done, reopenAgent, worktreeOf } = await open();
    await reopenAgent(2);
    const prepared = prepare(2);
    gate.resolve();
    await Promise.all([prepared, all]);
    expect(done.indexOf('open b2')).toBeGreaterThan(done.indexOf('finish b2'));
    expect(await worktreeOf(2)).toEqual(place(2));
  });
});
