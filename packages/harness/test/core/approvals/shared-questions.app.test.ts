// Who shares several questions goes on when the last of them has ended; who has no turn to go on with is idle.
import type { Question, Turn } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { resumeSession } from '../../../src/core/approvals/decisions.ts';
import { resumeSharedTurns } from '../../../src/core/approvals/shared-questions.ts';
import type { Append } from '../../../src/core/log/log.ts';
import { addSession, at, sessionId, toId } from '../../store/rows.ts';
import { newPath, openTestStore } from '../../store/support.ts';

const turn = (number: number, state: Turn['state']): Turn => {
  const id = toId('trn', number);
  const ofTurn = { id, originTurnId: id, sessionId: sessionId(1), state, content: 'Go', seq: 0 };
  return { ...ofTurn, costUsd: 0, createdAt: at };
};

const question = (number: number, sharer: number, state: Question['state']): Question => ({
  id: toId('qst', number),
  sessionId: sessionId(2),
  rootSessionId: sessionId(2),
  turnId: toId('trn', 9),
  text: 'More?',
  state,
  lineage: { rootSessionId: sessionId(2), depth: 0 },
  createdAt: at,
  expiresAt: null,
  sharedBy: [toId('trn', sharer)],
});

it('a session whose turn waits for two answers of others goes on with the second of them', async () => {
  const { store } = await openTestStore(newPath());
  for (const number of [1, 2]) await addSession(store, number);
  await store.commit(async (tx) => {
    await tx.updateSession(sessionId(1), { status: 'waiting' });
    await tx.insertTurn(turn(1, 'running'));
    await tx.insertTurn(turn(2, 'interrupted'));
    for (const number of [1, 2]) await tx.putQuestion(question(number, 1, 'pending'));
    // What a turn has shared that has ended keeps nobody.
    await tx.putQuestion(question(3, 2, 'pending'));
  });
  const statuses: unknown[] = [];
  for (const number of [1, 2]) {
    await store.commit(async (tx) => {
      const ended = question(number, 1, 'answered');
      await tx.putQuestion(ended);
      await resumeSharedTurns(tx, ended, at);
    });
    statuses.push((await store.reads.session(sessionId(1)))?.status);
  }
  expect(statuses).toEqual(['waiting', 'running']);
});

it('P12: a session without an open turn is idle once nobody is asked in it', async () => {
  const { store } = await openTestStore(newPath());
  await addSession(store, 1);
  await store.commit(async (tx) => {
    await tx.updateSession(sessionId(1), { status: 'waiting' });
    await tx.insertTurn({ ...turn(1, 'completed'), endedAt: at });
    const append: Append = (...drafts) =>
      tx.append(drafts.map((draft) => ({ ...draft, sessionId: sessionId(1), at })));
    await resumeSession(tx, append, sessionId(1));
  });
  expect((await store.reads.session(sessionId(1)))?.status).toBe('idle');
});
