import type { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { createKysely, prepare, prepareInsert, toLimit } from '../../../src/store/sqlite/prepare.ts';

function openRecorder() {
  const ran: Pick<CompiledQuery, 'sql' | 'parameters'>[] = [];
  const db = createKysely(async ({ sql, parameters }) => {
    ran.push({ sql, parameters });
    return { rows: [] };
  });
  return { db, ran };
}

test('a prepared query is built once and takes the values of each run', async () => {
  const { db, ran } = openRecorder();
  let built = 0;
  const find = prepare(db, ({ id }: { id: string }) => {
    built++;
    return db.selectFrom('turns').select('id').where('id', '=', id).where('state', '=', 'queued');
  });
  await find({ id: 'one' });
  await find({ id: 'two' });
  const sql = 'select "id" from "turns" where "id" = ? and "state" = ?';
  expect(ran).toEqual([
    { sql, parameters: ['one', 'queued'] },
    { sql, parameters: ['two', 'queued'] },
  ]);
  expect(built).toBe(1);
});

test('a prepared update has a form of its own for every set of columns', async () => {
  const { db, ran } = openRecorder();
  const update = prepare(db, ({ id, ...patch }: { id: string; title?: string; cwd?: string }) =>
    db.updateTable('sessions').set(patch).where('id', '=', id),
  );
  await update({ id: 'one', title: 'a' });
  await update({ id: 'two', cwd: 'b' });
  await update({ id: 'three', title: 'c' });
  expect(ran).toEqual([
    { sql: 'update "sessions" set "title" = ? where "id" = ?', parameters: ['a', 'one'] },
    { sql: 'update "sessions" set "cwd" = ? where "id" = ?', parameters: ['b', 'two'] },
    { sql: 'update "sessions" set "title" = ? where "id" = ?', parameters: ['c', 'three'] },
  ]);
});

test('rows are inserted by one statement for each number of them', async () => {
  const { db, ran } = openRecorder();
  const insert = prepareInsert(db, 'entries');
  const row = (entry: string) => ({ session_id: 's', origin_turn_id: 't', entry, checksum: 1 });
  await insert([row('a'), row('b')]);
  await insert([row('c'), row('d')]);
  expect(ran.map(({ parameters }) => parameters)).toEqual([
    ['s', 't', 'a', 1, 's', 't', 'b', 1],
    ['s', 't', 'c', 1, 's', 't', 'd', 1],
  ]);
  expect(new Set(ran.map(({ sql }) => sql)).size).toBe(1);
});

test('a limit is never a bare parameter', async () => {
  const { db, ran } = openRecorder();
  await db.selectFrom('turns').select('id').limit(toLimit(5)).execute();
  expect(ran).toEqual([{ sql: 'select "id" from "turns" limit ? + 0', parameters: [5] }]);
});
