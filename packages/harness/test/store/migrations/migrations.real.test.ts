// Migrations: a kill in the middle leaves the last whole step, and a newer schema is left alone.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { checkDatabase } from '../../../src/store/check.ts';
import { usage } from '../../../src/store/migrations/0008-usage.ts';
import { type Migration, migrations } from '../../../src/store/migrations/list.ts';
import { startChild } from '../child-process.ts';
import { addSession, append, at, readTexts, sessionId } from '../rows.ts';
import { newPath, openRaw, openTestStore, refusal } from '../support.ts';

const newest = migrations.length;
const usageVersion = migrations.findIndex(({ sql }) => sql === usage) + 1;
const later: Migration = {
  version: newest + 1,
  sql: "CREATE TABLE later (x TEXT); INSERT INTO later VALUES ('x')",
};

function readSchema(path: string) {
  const raw = openRaw(path);
  const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  return {
    version: raw.prepare('PRAGMA user_version').get()?.user_version,
    tables: tables.map(({ name }) => name),
  };
}

/** As the list of migrations makes them, with the lease. */
const tables = ((memory: DatabaseSync) => {
  for (const { sql } of migrations) memory.exec(sql);
  const rows = memory.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return [...rows.map(({ name }) => String(name)), 'owner'].sort();
})(new DatabaseSync(':memory:'));

function readFiles(path: string) {
  const directory = dirname(path);
  const names = readdirSync(directory).filter((name) => !name.endsWith('-shm'));
  return names.map((name) => [name, readFileSync(join(directory, name)).toString('base64')]);
}

describe('migrations', () => {
  test('are numbered from 1 without a gap', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });

  test('run once', async () => {
    const path = newPath();
    const { store, reached } = await openTestStore(path);
    await store.close();
    const again = await openTestStore(path);
    expect(reached.filter((point) => point === 'migration.written')).toHaveLength(migrations.length);
    expect(again.reached).toEqual([]);
    expect(readSchema(path)).toEqual({ version: newest, tables });
  });

  test('P17: a kill in the middle of the first leaves nothing of it, and the next start completes it', async () => {
    const path = newPath();
    const child = startChild(path, 'own', 'migration.written');
    expect(await child.next()).toBeUndefined();
    expect(child.process.signalCode).toBe('SIGKILL');
    expect(readSchema(path)).toEqual({ version: 0, tables: ['owner'] });
    const { store } = await openTestStore(path);
    await addSession(store);
    expect(readSchema(path)).toEqual({ version: newest, tables });
  });

  test('P17: a kill in the middle of a later one leaves the version before it, and every row', async () => {
    const path = newPath();
    const { store } = await openTestStore(path);
    await addSession(store);
    await append(store, 'kept');
    await store.close();
    const child = startChild(path, 'upgrade', 'migration.written');
    expect(await child.next()).toBeUndefined();
    expect(readSchema(path)).toEqual({ version: newest, tables });
    const upgraded = await openTestStore(path, {}, { migrations: [...migrations, later] });
    expect(await readTexts(upgraded.store)).toEqual(['kept']);
    expect(readSchema(path)).toEqual({ version: newest + 1, tables: [...tables, 'later'].sort() });
  });

  test('P17: a power cut after any page written by the first start leaves what the next start completes', async () => {
    const path = newPath();
    const { store } = await openTestStore(path);
    // While another program looks, closing leaves the log as it is.
    const onlooker = openRaw(path);
    onlooker.exec('BEGIN; SELECT * FROM owner');
    await store.close();
    const [database, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
    const seen = new Set<string>();
    for (let length = 32; length <= log.length; length += 24 + 4096) {
      const copy = newPath();
      writeFileSync(copy, database);
      writeFileSync(`${copy}-wal`, log.subarray(0, length));
      seen.add(JSON.stringify(readSchema(copy)));
      await openTestStore(copy);
      expect(readSchema(copy)).toEqual({ version: newest, tables });
    }
    // Nothing between: all steps are one.
    const whole = [
      { version: 0, tables: [] },
      { version: 0, tables: ['owner'] },
      { version: newest, tables },
    ];
    expect([...seen]).toEqual(whole.map((schema) => JSON.stringify(schema)));
  });

  test('P17: what turns used before there was an account of it is in it afterwards', async () => {
    const path = newPath();
    const schema = { migrations: migrations.filter(({ version }) => version < usageVersion) };
    await (await openTestStore(path, {}, schema)).store.close();
    const raw = openRaw(path);
    const insert = (table: string, row: Record<string, string | number>) => {
      const names = Object.keys(row);
      const sql = `INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`;
      raw.prepare(sql).run(...Object.values(row));
    };
    const toTime = (second: number) => `2026-11-15T12:00:0${second}.000Z`;
    const times = { created_at: at, updated_at: at };
    const words = { title: 't', role: 'assistant', engine: 'native', model: 'a/b', mode: 'default' };
    const place = { cwd: '/x', workspace: '/x', status: 'idle', root_session_id: sessionId(1) };
    insert('sessions', { number: 1, id: sessionId(1), ...words, ...place, ...times });
    for (const [number, second] of [0, 5].entries()) {
      const id = `trn_${String(number).padStart(22, '0')}`;
      const about = { id, session_id: sessionId(1), origin_turn_id: id, state: 'completed', content: '"x"' };
      const span = { created_at: at, started_at: toTime(second), ended_at: toTime(second + 4) };
      insert('turns', { ...about, seq: number + 1, cost_usd: 1, ...span });
    }
    for (const [index, [second, inputTokens]] of [
      [1, 10] as const,
      [2, 20] as const,
      [6, 40] as const,
    ].entries()) {
      const data = JSON.stringify({ inputTokens, outputTokens: 1, costUsd: 0.5 });
      const numbers = { position: index + 1, session_number: 1, seq: index + 1, checksum: 0 };
      insert('events', { ...numbers, at: toTime(second), type: 'usage', data });
    }
    raw.close();
    const { store } = await openTestStore(path);
    const { groups } = await store.reads.usage({
      from: '2026-11-15T12:00:00.000Z',
      to: '2026-11-15T12:00:05.000Z',
      by: 'model',
      step: 'day',
      utcOffset: 0,
      limit: 5,
    });
    const sum = { turns: 1, inputTokens: 30, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const whole = { ...sum, costUsd: 1, unpricedTurns: 0 };
    expect(groups).toEqual([{ key: 'a/b', ...whole, points: [{ at: '2026-11-15', ...whole }] }]);
  });

  test('that fail change nothing and give the home free', async () => {
    const path = newPath();
    const broken = [...migrations, { version: newest + 1, sql: 'CREATE TABLE half (x TEXT); NOT SQL' }];
    const { code } = await refusal(
      openTestStore(path, { owner: { pid: process.ppid, host: 'x' } }, { migrations: broken }),
    );
    expect(code).toBe('storage_failed');
    expect(readSchema(path)).toEqual({ version: 0, tables: ['owner'] });
    await openTestStore(path, { owner: { pid: process.pid, host: 'y' } });
  });

  test.each(['closed', 'killed'])(
    'a newer schema is refused byte for byte, after its owner was %s',
    async (how) => {
      const path = newPath();
      const child = startChild(path, 'upgrade');
      expect(await child.next()).toBe('open');
      if (how === 'closed') child.tell('close');
      else child.process.kill('SIGKILL');
      await child.gone;
      const before = readFiles(path);
      const { code, message, data } = await refusal(openTestStore(path));
      expect({ code, data }).toEqual({ code: 'schema_newer', data: { found: newest + 1, known: newest } });
      expect(message).toContain('Upgrade Toolyard');
      expect((await refusal(checkDatabase(path))).code).toBe('schema_newer');
      const after = readFiles(path).filter(([name]) => before.some(([known]) => known === name));
      expect(after).toEqual(before);
    },
  );
});
