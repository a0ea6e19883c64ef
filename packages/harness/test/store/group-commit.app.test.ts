// Group commit: who shares a transaction, and what a failing neighbour costs.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { createGroupCommit, type Transaction } from '../../src/store/group-commit.ts';
import { addSession, append, readTexts, sessionId, toDraft } from './rows.ts';
import { newPath, openRaw, openTestStore, refusal } from './support.ts';

const oneCommit = ['commit.begun', 'commit.written', 'commit.durable'];

async function openWithSession() {
  const { store, reached } = await openTestStore(newPath());
  await addSession(store);
  reached.length = 0;
  return { store, reached };
}

describe('group commit', () => {
  test('writes of one moment share one transaction', async () => {
    const { store, reached } = await openWithSession();
    await Promise.all(Array.from({ length: 256 }, (_, index) => append(store, `${index}`)));
    expect(reached).toEqual(oneCommit);
  });

  test('writes from different callbacks of one round of the event loop share one transaction', async () => {
    const { store, reached } = await openWithSession();
    const writes = Array.from({ length: 20 }, () => sleep(1).then(() => append(store, 'x')));
    // All timers are due in the same round.
    for (const start = performance.now(); performance.now() - start < 5; );
    await Promise.all(writes);
    expect(reached).toEqual(oneCommit);
  });

  test('a batch is bounded', async () => {
    const { store, reached } = await openWithSession();
    await Promise.all(Array.from({ length: 600 }, (_, index) => append(store, `${index}`)));
    expect(reached).toEqual([...oneCommit, ...oneCommit, ...oneCommit]);
  });

  test('writes that arrive during a commit share the next one', async () => {
    const { store, reached } = await openWithSession();
    const later: Promise<void>[] = [];
    await store.commit(async (tx) => {
      await tx.append([toDraft(1, 'first')]);
      if (later.length === 0) later.push(append(store, 'second'), append(store, 'third'));
    });
    await Promise.all(later);
    expect(reached).toEqual([...oneCommit, ...oneCommit]);
    expect(await readTexts(store)).toEqual(['first', 'second', 'third']);
  });

  test('a failing write costs its neighbours two more transactions, not one each', async () => {
    const { store, reached } = await openWithSession();
    const fault = new Error('mine');
    const writes = Array.from({ length: 50 }, (_, index) =>
      store.commit(async (tx) => {
        await tx.append([toDraft(1, `${index}`)]);
        if (index === 20) throw fault;
      }),
    );
    const settled = await Promise.allSettled(writes);
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: fault },
    ]);
    expect(reached.filter((point) => point === 'commit.durable')).toHaveLength(2);
    const kept = Array.from({ length: 50 }, (_, index) => `${index}`).filter((text) => text !== '20');
    expect(await readTexts(store)).toEqual(kept);
  });

  test('a rejected write is heard of before a later one runs again', async () => {
    const { store } = await openWithSession();
    let heard = false;
    const failing = store
      .commit(() => Promise.reject(new Error('mine')))
      .catch(() => {
        heard = true;
      });
    const seen: boolean[] = [];
    await store.commit(async () => void seen.push(heard));
    await failing;
    expect(seen).toEqual([true]);
  });

  test('a write that was left running after its end is refused, and the store goes on', async () => {
    const { store } = await openWithSession();
    const left: Promise<unknown>[] = [];
    await store.commit(async (tx) => {
      // A forgotten await: the row would otherwise be written after the commit, with nobody checking ownership.
      left.push(sleep(5).then(() => tx.append([toDraft(1, 'forgotten')])));
    });
    await expect(left[0]).rejects.toThrow();
    await append(store, 'next');
    expect(await readTexts(store)).toEqual(['next']);
  });

  test('a listener that throws takes nothing from the writer or from other listeners', async () => {
    const { store } = await openWithSession();
    const warned = once(process, 'warning');
    const heard: Event[] = [];
    store.onCommitted(() => {
      throw new Error('broken listener');
    });
    store.onCommitted((events) => heard.push(...events));
    await append(store, 'a');
    expect(heard).toEqual([{ ...toDraft(1, 'a'), seq: 1 }]);
    expect(await warned).toEqual([new Error('broken listener')]);
  });

  test('P2: remembered numbers are read again after a refusal', async () => {
    const path = newPath();
    const { store } = await openTestStore(path);
    await addSession(store);
    await append(store, 'ours');
    openRaw(path).exec(
      'INSERT INTO events SELECT NULL, session_number, seq + 1, at, type, data, checksum FROM events',
    );
    const { code, data } = await refusal(append(store, 'refused'));
    expect([code, data]).toEqual(['storage_failed', { reason: 'refused' }]);
    await append(store, 'stored');
    expect(await store.reads.lastSeq(sessionId(1))).toBe(3);
  });
});

/** A transaction in memory whose commit fails while it holds a poisoned value. */
function createMemoryTransaction(stored: string[]): Transaction<string[]> & { commits: number } {
  let open: string[] = [];
  const transaction = {
    commits: 0,
    begin: async () => {
      open = [];
    },
    borrow: () => ({ tx: open, end: () => {} }),
    commit: () => {
      transaction.commits += 1;
      if (open.includes('poison')) throw new Error('cannot commit');
      stored.push(...open);
    },
    rollback: () => {
      open = [];
    },
    publish: () => {},
  };
  return transaction;
}

describe('a commit that fails as a whole', () => {
  test('is traced to the write at fault, and the others are kept in order', async () => {
    const stored: string[] = [];
    const { commit } = createGroupCommit(createMemoryTransaction(stored));
    const values = ['a', 'b', 'poison', 'c', 'd', 'e', 'f'];
    const settled = await Promise.allSettled(
      values.map((value) => commit(async (tx) => void tx.push(value))),
    );
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual(
      values.map((value) => value !== 'poison'),
    );
    expect(stored).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('that cannot even begin rejects everyone waiting at once', async () => {
    const transaction = createMemoryTransaction([]);
    transaction.begin = () => Promise.reject(new Error('locked'));
    const { commit, idle } = createGroupCommit(transaction);
    const settled = await Promise.allSettled(
      ['a', 'b'].map((value) => commit(async (tx) => void tx.push(value))),
    );
    await idle();
    expect(settled).toEqual(Array(2).fill({ status: 'rejected', reason: new Error('locked') }));
    expect(transaction.commits).toBe(0);
  });
});

test('an error of ours passes through a commit unchanged', async () => {
  const { store } = await openWithSession();
  const { code, message } = await refusal(store.commit((tx) => tx.append([toDraft(9, 'x')])));
  expect([code, message]).toEqual(['session_not_found', `There is no session ${sessionId(9)}.`]);
});
