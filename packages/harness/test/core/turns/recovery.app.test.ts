import type { Turn } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { recover } from '../../../src/core/turns/recovery.ts';
import { addSession, at, sessionId, toId } from '../../store/rows.ts';
import { newPath, openTestStore } from '../../store/support.ts';
import { quiet } from '../../support/yard.ts';

it('a start goes on without the ends of turns that cannot be stored yet; nobody begins before they are', async () => {
  const { store } = await openTestStore(newPath());
  const toTurn = (number: number, state: Turn['state']): Turn => {
    const id = toId('trn', number);
    const rest = { originTurnId: id, content: 'hi', seq: 0, costUsd: 0, createdAt: at };
    return { id, sessionId: sessionId(number), state, ...rest };
  };
  for (const number of [1, 2, 3]) await addSession(store, number);
  await store.commit(async (tx) => {
    for (const number of [1, 2]) await tx.insertTurn(toTurn(number, 'running'));
    await tx.insertTurn(toTurn(3, 'queued'));
  });
  const ended: string[] = [];
  const stored = Promise.withResolvers<void>();
  const woken: string[] = [];
  await recover({
    store,
    endTurn({ id }) {
      ended.push(id);
      return stored.promise;
    },
    prices: { price: () => null, settle: (reckoned) => reckoned },
    questions: { isWaiting: () => false },
    waits: () => false,
    wake: (id) => void woken.push(id),
    logger: quiet,
    timeoutMs: 20,
  });
  expect([ended, woken]).toEqual([[toId('trn', 1), toId('trn', 2)], []]);
  stored.resolve();
  await expect.poll(() => woken).toEqual([sessionId(3)]);
});
