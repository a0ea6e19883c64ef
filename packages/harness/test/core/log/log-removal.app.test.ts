// The log when a session is deleted: what is still written about it is dropped alone, and nobody reads of it any more.
import { pause } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { createLog } from '../../../src/core/log/log.ts';
import { addSession, sessionId } from '../../store/rows.ts';
import { newPath, openTestStore } from '../../store/support.ts';
import { quiet } from '../../support/yard.ts';

async function openLog() {
  const { store } = await openTestStore(newPath());
  for (const number of [1, 2]) await addSession(store, number);
  const log = createLog({ store, clock: { now: () => Date.now() }, logger: quiet });
  const say = (session: number, text: string) =>
    log.emit(sessionId(session), { type: 'text_delta', data: { text } });
  const remove = () =>
    log.remove(sessionId(1), async (tx, append) => {
      await append({ type: 'session_status', data: { status: 'closed', deleted: true } });
      await tx.deleteSession(sessionId(1));
    });
  return { store, log, say, remove };
}

it('what comes too late is dropped, and keeps nothing else from being written', async () => {
  const { store, log, say, remove } = await openLog();
  say(1, 'before');
  const removed = remove();
  say(1, 'late');
  say(2, 'beside it');
  const at = { sessionId: sessionId(1), originTurnId: 'trn' };
  void log.defer((tx) => tx.saveCheckpoint(at, { append: ['late'] }), sessionId(1));
  await removed;
  say(1, 'later');
  const written = log.defer(async () => {}).then(() => 'written');
  expect(await Promise.race([written, pause(3_000).then(() => 'stuck')])).toBe('written');
  expect((await store.reads.events(sessionId(2), 0, 9)).map(({ data }) => data)).toEqual([
    { text: 'beside it' },
  ]);
  await expect(log.commit(sessionId(1), async () => {})).rejects.toMatchObject({ code: 'session_not_found' });
});

it('a deletion that fails changes nothing', async () => {
  const { store, log, say } = await openLog();
  const failing = log.remove(sessionId(1), async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  say(1, 'still here');
  await log.defer(async () => {});
  expect(await store.reads.lastSeq(sessionId(1))).toBe(1);
});

it('who reads all sessions from the start hears that it is gone, and nothing else of it', async () => {
  const { log, say, remove } = await openLog();
  const keeper = log.openAll(0, () => {});
  say(1, 'secret');
  say(2, 'kept');
  await log.defer(async () => {});
  expect((await keeper.next()).length).toBe(2);
  await remove();
  const late = log.openAll(0, () => {});
  const seen = await late.next();
  expect(seen.map(({ event }) => event.data)).toEqual([
    { text: 'kept' },
    ...(seen.length > 1 ? [{ status: 'closed', deleted: true }] : []),
  ]);
  keeper.close();
  late.close();
});
