// The files on disk, and what the connections promise.
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { openReader, openWriter } from '../../src/store/sqlite/sqlite.ts';
import { addSession, append, sessionId } from './rows.ts';
import { newPath, openTestStore, refusal } from './support.ts';

function modesBeside(path: string): Record<string, string> {
  const names = readdirSync(dirname(path));
  return Object.fromEntries(
    names.map((name) => [name, (statSync(`${dirname(path)}/${name}`).mode & 0o777).toString(8)]),
  );
}

test('the database and the files beside it are for their owner only, whatever the umask', async () => {
  const path = newPath();
  const before = process.umask(0);
  const { store } = await openTestStore(path);
  process.umask(before);
  await addSession(store);
  const all = { 'toolyard.db': '600', 'toolyard.db-shm': '600', 'toolyard.db-wal': '600' };
  expect(modesBeside(path)).toEqual(all);
});

test('files that others could read are closed to them at the next start', async () => {
  const path = newPath();
  await (await openTestStore(path)).store.close();
  writeFileSync(`${path}-wal`, '');
  chmodSync(path, 0o644);
  chmodSync(`${path}-wal`, 0o644);
  await openTestStore(path);
  expect(Object.values(modesBeside(path))).toEqual(['600', '600', '600']);
});

test('closing moves the log into the database and leaves nothing beside it', async () => {
  const path = newPath();
  const { store } = await openTestStore(path);
  await addSession(store);
  await store.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test('every connection has the pragmas that durability rests on', async () => {
  const path = newPath();
  const writer = await openWriter(path, { busyTimeoutMs: 100, maxPages: 777 });
  const values = (name: string) => writer.values(`PRAGMA ${name}`);
  const names = [
    'journal_mode',
    'synchronous',
    'foreign_keys',
    'busy_timeout',
    'cell_size_check',
    'max_page_count',
  ];
  const found = (await Promise.all(names.map(values))).map(([value]) => value);
  writer.close();
  expect(found).toEqual(['wal', 2, 1, 0, 1, 777]);
});

test('the writing connection refuses statements outside a transaction', async () => {
  const path = newPath();
  await (await openTestStore(path)).store.close();
  const writer = await openWriter(path, { busyTimeoutMs: 100 });
  const write = writer.db.deleteFrom('sessions').execute();
  expect((await refusal(write)).message).toBe('A write was left running after its commit.');
  writer.close();
});

test('the reading connection cannot write', async () => {
  const path = newPath();
  const { store } = await openTestStore(path);
  await addSession(store);
  const reader = openReader(path, 100);
  const write = reader.db.deleteFrom('sessions').execute();
  expect((await refusal(write)).data).toEqual({ reason: 'read_only' });
  reader.close();
});

test('a closed store says so to late readers and writers', async () => {
  const { store } = await openTestStore(newPath());
  await store.close();
  const codes = [await refusal(append(store, 'x')), await refusal(store.reads.session(sessionId(1)))];
  expect(codes.map(({ code }) => code)).toEqual(['shutting_down', 'shutting_down']);
});
