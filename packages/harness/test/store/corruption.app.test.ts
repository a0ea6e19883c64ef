// P15: damage is reported, never hidden: at the start where SQLite can see it, else by the read that meets it.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Store, StoreWrites } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { checkDatabase } from '../../src/store/check.ts';
import { addSession, append, at, sessionId, toDispatch, toDraft, toId } from './rows.ts';
import { newPath, openRaw, openTestStore, refusal } from './support.ts';

const sessions = 3;
const pageSize = 4096;

/** A closed database with every kind of row, some on overflow pages, and what it says. */
async function fillDatabase(path: string) {
  const { store } = await openTestStore(path);
  for (let session = 1; session <= sessions; session += 1) {
    await addSession(store, session);
    await store.commit(async (tx) => {
      const texts = Array.from({ length: 24 }, (_, index) =>
        `${session} ${index} `.repeat(index % 20 ? 5 : 1_600),
      );
      await tx.append(texts.map((text) => toDraft(session, text)));
      const [id, turnId] = [sessionId(session), `trn_${String(session).padStart(22, '0')}`];
      await tx.insertTurn({
        id: turnId,
        sessionId: id,
        originTurnId: turnId,
        state: 'queued',
        content: 'x'.repeat(500),
        seq: 1,
        costUsd: 0,
        createdAt: at,
      });
      await tx.putToolCall({
        turnId,
        callId: 'c',
        sessionId: id,
        tool: 't',
        input: { text: 'y'.repeat(500) },
        state: 'asked',
        askedAt: at,
      });
      await tx.saveCheckpoint(
        { sessionId: id, originTurnId: turnId },
        { state: 1, append: texts.slice(0, 12) },
      );
      await addAgent(tx, session);
    });
  }
  const all = await readAll(store);
  await store.close();
  return all;
}

/** With a task and a run of its own. */
async function addAgent(tx: StoreWrites, number: number): Promise<void> {
  const [slug, runId] = [`task-${number}`, toId('trn', number)];
  const used = { raised: {}, agents: 0, spentUsd: 0, tokens: 0, waitedMs: 0, lastActiveAt: at };
  await tx.insertTask({ slug, description: 'z'.repeat(200), createdAt: at });
  await tx.insertRun({ id: runId, rootSessionId: sessionId(number), startedAt: at, ...used });
  await tx.insertDispatch({ ...toDispatch(number, slug), prompt: 'w'.repeat(200), runId });
}

async function readAll({ reads }: Store) {
  const found = await reads.sessions({ limit: 100 });
  const heads = await reads.turnsIn(['queued']);
  return {
    sessions: found,
    turns: await Promise.all(heads.map(({ id }) => reads.turn(id))),
    events: await Promise.all(found.map(({ id }) => reads.events(id, 0, 1_000))),
    calls: await Promise.all(heads.map(({ id }) => reads.toolCalls(id))),
    resumes: await Promise.all(found.map(({ id }) => reads.resume(id))),
    tasks: await reads.tasks({ limit: 100 }),
    dispatches: await reads.dispatches({ limit: 100 }),
    runs: await Promise.all(found.map(({ id }) => reads.latestRun(id))),
  };
}

const damages: [string, (page: Buffer) => unknown][] = [
  ['filled with zeros', (page) => page.fill(0)],
  ['torn in the middle', (page) => page.fill(0, pageSize / 2)],
  ['overwritten by noise', (page) => page.fill('\u0007noise of a broken disk')],
];

/** What a damaged copy does: it says so, or it still gives every row right. */
async function meetDamage(path: string, whole: unknown): Promise<'reported' | 'unharmed' | 'hidden'> {
  try {
    const { store } = await openTestStore(path);
    try {
      const all = await readAll(store);
      return JSON.stringify(all) === JSON.stringify(whole) ? 'unharmed' : 'hidden';
    } finally {
      await store.close();
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'database_corrupt') return 'reported';
    throw thrown;
  }
}

/** How often a damaged copy said so, still gave every row right, or hid the damage. */
async function countOutcomes(whole: unknown, damaged: Iterable<[string, Buffer]>) {
  const counts = { reported: 0, unharmed: 0, hidden: [] as string[] };
  for (const [name, bytes] of damaged) {
    const path = newPath();
    writeFileSync(path, bytes);
    const outcome = await meetDamage(path, whole);
    if (outcome === 'hidden') counts.hidden.push(name);
    else counts[outcome] += 1;
  }
  return counts;
}

function* withEachPage(bytes: Buffer, damage: (page: Buffer) => unknown): Generator<[string, Buffer]> {
  for (let start = 0; start < bytes.length; start += pageSize) {
    const damaged = Buffer.from(bytes);
    damage(damaged.subarray(start, start + pageSize));
    yield [`page ${start / pageSize + 1}`, damaged];
  }
}

/** One flipped bit in each place where a text of the log or of a transcript lies. */
function* withEachText(bytes: Buffer): Generator<[string, Buffer]> {
  for (let session = 1; session <= sessions; session += 1) {
    const text = `"${session} 7 ${session} 7 `;
    for (let found = bytes.indexOf(text); found >= 0; found = bytes.indexOf(text, found + 1)) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(found + 5) ^ 1, found + 5);
      yield [`byte ${found + 5}`, damaged];
    }
  }
}

/** Those of tables and indexes without a row in this database, and the map of its few pages. */
function countEmptyPages(path: string): number {
  const [row] = openRaw(path).prepare('SELECT count(*) AS pages FROM dbstat WHERE ncell = 0').all();
  return Number(row?.pages) + 1;
}

describe('P15: corruption is reported, never hidden', () => {
  test.each(damages)('whichever page is %s', async (_, damage) => {
    const path = newPath();
    const whole = await fillDatabase(path);
    const bytes = readFileSync(path);
    const outcomes = await countOutcomes(whole, withEachPage(bytes, damage));
    // A table with no rows yet uses only the head of its page: damage behind that harms nothing.
    const { reported, unharmed, hidden } = outcomes;
    expect({ hidden, seen: reported + unharmed }).toEqual({ hidden: [], seen: bytes.length / pageSize });
    expect(unharmed).toBeLessThanOrEqual(countEmptyPages(path));
  });

  test('when one bit of a stored event or transcript entry has changed', async () => {
    const path = newPath();
    const whole = await fillDatabase(path);
    const { reported, hidden } = await countOutcomes(whole, withEachText(readFileSync(path)));
    // A text may lie once more in the unused part of a page; there a change harms nobody.
    expect({ reported, hidden }).toEqual({ reported: 2 * sessions, hidden: [] });
  });

  test('when the file is cut short', async () => {
    const path = newPath();
    const whole = await fillDatabase(path);
    const bytes = readFileSync(path);
    const cuts = [bytes.length - pageSize, bytes.length / 2, 5_000, 100].map((length): [string, Buffer] => [
      `${length} bytes left`,
      bytes.subarray(0, length),
    ]);
    expect(await countOutcomes(whole, cuts)).toEqual({ reported: 4, unharmed: 0, hidden: [] });
  });

  test('at the start, with the file, what SQLite said and what to do, and the file is left alone', async () => {
    const path = newPath();
    writeFileSync(path, 'This is a letter to my aunt and not a database.'.repeat(100));
    const before = readFileSync(path);
    const { code, message, data } = await refusal(openTestStore(path));
    expect({ code, data }).toEqual({
      code: 'database_corrupt',
      data: { path, detail: 'file is not a database' },
    });
    expect(message).toBe(
      `The database ${path} is damaged: file is not a database. Toolyard did not change it. Restore a backup, or move the file away to start with an empty database.`,
    );
    expect((await refusal(checkDatabase(path))).code).toBe('database_corrupt');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('at the start, and a damaged database is left as it was', async () => {
    const path = newPath();
    await fillDatabase(path);
    const damaged = readFileSync(path).fill(0, 30 * pageSize, 31 * pageSize);
    writeFileSync(path, damaged);
    expect((await refusal(openTestStore(path))).code).toBe('database_corrupt');
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  test('when the file is damaged under a running store', async () => {
    const path = newPath();
    await fillDatabase(path);
    const { store } = await openTestStore(path);
    const bytes = readFileSync(path);
    writeFileSync(
      path,
      Buffer.concat([bytes.subarray(0, 2 * pageSize), Buffer.alloc(bytes.length - 2 * pageSize)]),
    );
    expect((await refusal(readAll(store))).code).toBe('database_corrupt');
    expect((await refusal(append(store, 'x'))).code).toBe('database_corrupt');
    writeFileSync(path, bytes);
  });

  test('when an event is missing, with its session and number', async () => {
    const path = newPath();
    const { store } = await openTestStore(path);
    await addSession(store);
    await store.commit((tx) => tx.append(['a', 'b', 'c', 'd'].map((text) => toDraft(1, text))));
    openRaw(path).exec('DELETE FROM events WHERE seq = 3');
    const { code, message, data } = await refusal(store.reads.events(sessionId(1), 0, 10));
    expect({ code, data }).toEqual({ code: 'database_corrupt', data: { sessionId: sessionId(1), seq: 3 } });
    expect(message).toContain(`event 3 of session ${sessionId(1)} is missing`);
    expect((await refusal(store.reads.events(sessionId(1), 2, 10))).data).toEqual(data);
    expect(await store.reads.events(sessionId(1), 3, 10)).toHaveLength(1);
  });

  test('when a row no longer holds what was written into it', async () => {
    const path = newPath();
    await fillDatabase(path);
    const { store } = await openTestStore(path);
    openRaw(path).exec(
      "UPDATE turns SET content = substr(content, 1, 20); UPDATE events SET at = '2020' WHERE seq = 5",
    );
    const turn = await refusal(store.reads.latestTurn(sessionId(2)));
    const event = await refusal(store.reads.events(sessionId(2), 4, 10));
    expect([turn.code, event.code, event.data]).toEqual([
      'database_corrupt',
      'database_corrupt',
      { sessionId: sessionId(2), seq: 5 },
    ]);
  });

  test('nowhere in a database that is whole, and a file that does not exist is no fault', async () => {
    const path = newPath();
    await checkDatabase(path);
    await fillDatabase(path);
    await checkDatabase(path);
    const { store } = await openTestStore(path);
    await checkDatabase(path);
    await store.close();
  });
});
