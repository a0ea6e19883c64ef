import type { Event, Store } from '@toolyard/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReaders } from '../../../src/core/log/feed.ts';
import { addSession, append, sessionId, toDraft } from '../../store/rows.ts';
import { newPath, openRaw, openTestStore } from '../../store/support.ts';

async function openLog(length: number): Promise<Store> {
  const { store } = await openTestStore(newPath());
  await addSession(store);
  const drafts = Array.from({ length }, (_, index) => toDraft(1, String(index + 1)));
  if (length > 0) await store.commit((tx) => tx.append(drafts));
  return store;
}

/** Reads numbers past `after` until there are `count`, or fails with those that came within two seconds. */
async function readNumbers(store: Store, after: number, count: number): Promise<number[]> {
  const stop = AbortSignal.timeout(2_000);
  const seen: number[] = [];
  for await (const page of createReaders(store).read(sessionId(1), after, stop)) {
    seen.push(...page.map(({ seq }) => seq));
    if (seen.length >= count) break;
  }
  return seen;
}

async function nextNumbers(reader: AsyncGenerator<readonly Event[]>): Promise<number[]> {
  const page: readonly Event[] = (await reader.next()).value;
  return page.map(({ seq }) => seq);
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('P2: a reader of the log', () => {
  test.each([0, 1, 31, 32, 33, 200])(
    'that has %i events to catch up with gets each once, then the news',
    async (length) => {
      const store = await openLog(length);
      const reading = readNumbers(store, 0, length + 2);
      const news = setInterval(() => void append(store, 'news').catch(() => {}), 20);
      onTestFinished(() => clearInterval(news));
      expect((await reading).slice(0, length + 2)).toEqual(numbers(1, length + 2));
    },
  );

  test('that starts in the middle gets only what is past its cursor', async () => {
    expect(await readNumbers(await openLog(40), 35, 5)).toEqual([36, 37, 38, 39, 40]);
  });

  test('misses nothing that is written while it reads from the store', async () => {
    const store = await openLog(3);
    const slow: Store = {
      ...store,
      reads: {
        ...store.reads,
        async events(id, after, limit) {
          const page = await store.reads.events(id, after, limit);
          if (after === 0) await append(store, 'meanwhile');
          return page;
        },
      },
    };
    expect(await readNumbers(slow, 0, 4)).toEqual([1, 2, 3, 4]);
  });

  test('gets the same events as another that came before it', async () => {
    const store = await openLog(3);
    const readers = createReaders(store);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    expect(await nextNumbers(readers.read(sessionId(1), 1, stop.signal))).toEqual([2, 3]);
    expect(await nextNumbers(readers.read(sessionId(1), 0, stop.signal))).toEqual([1, 2, 3]);
  });
});

describe('P2: a reader of all sessions', () => {
  async function openSessions(): Promise<Store> {
    const { store } = await openTestStore(newPath());
    for (const number of [1, 2]) await addSession(store, number);
    return store;
  }

  const write = (store: Store, session: number, count = 1) =>
    store.commit((tx) => tx.append(Array.from({ length: count }, () => toDraft(session, 'text'))));

  /** Positions past `after` until there are `count`, or fails with those that came within two seconds. */
  async function readPositions(
    readers: ReturnType<typeof createReaders>,
    after: number,
    count: number,
  ): Promise<number[]> {
    const seen: number[] = [];
    for await (const page of readers.readAll(after, AbortSignal.timeout(2_000))) {
      seen.push(...page.map(({ position }) => position));
      if (seen.length >= count) break;
    }
    return seen;
  }

  test.each([0, 31, 32, 300])(
    'with %i behind it gets each once, then the news of every session',
    async (length) => {
      const store = await openSessions();
      if (length > 0) await write(store, 1, length);
      const reading = readPositions(createReaders(store), 0, length + 40);
      for (let count = 0; count < 20; count++) await Promise.all([write(store, 1), write(store, 2)]);
      expect(await reading).toEqual(numbers(1, length + 40));
    },
  );

  test('that comes after all others have left misses nothing that was written between', async () => {
    const store = await openSessions();
    const readers = createReaders(store);
    await write(store, 1, 3);
    expect(await readPositions(readers, 0, 3)).toEqual([1, 2, 3]);
    await write(store, 2, 3);
    const second = readPositions(readers, 3, 5);
    await write(store, 1, 2);
    expect(await second).toEqual([4, 5, 6, 7, 8]);
  });

  test('passes over what was deleted, and over nothing else', async () => {
    const store = await openSessions();
    await Promise.all([write(store, 1, 40), write(store, 2, 40), write(store, 1, 40)]);
    await store.commit((tx) => tx.deleteSession(sessionId(2)));
    const readers = createReaders(store);
    expect(await readPositions(readers, 0, 80)).toEqual([...numbers(1, 40), ...numbers(81, 120)]);
    await store.commit((tx) => tx.deleteSession(sessionId(1)));
    await addSession(store, 3);
    const rest = readPositions(readers, 120, 1);
    await write(store, 3);
    expect(await rest).toEqual([121]);
  });

  test('P15: is told when an event does not match its checksum, or its session is missing', async () => {
    const path = newPath();
    const { store } = await openTestStore(path);
    await addSession(store);
    await write(store, 1, 3);
    const raw = openRaw(path);
    raw.exec("UPDATE events SET data = '{}' WHERE position = 2");
    await expect(readPositions(createReaders(store), 0, 3)).rejects.toMatchObject({
      code: 'database_corrupt',
    });
    raw.exec('PRAGMA foreign_keys = OFF; DELETE FROM sessions');
    await expect(readPositions(createReaders(store), 0, 3)).rejects.toMatchObject({
      code: 'database_corrupt',
    });
  });
});
