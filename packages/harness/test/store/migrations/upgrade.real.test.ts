// P17 over the list of migrations: a database of every older schema, most of them made by the code of their time, opens
// with today's and keeps everything; and an upgrade that does not get through leaves it as it was.
import { describe, expect, test } from 'vitest';
import { verifyAudit } from '../../../src/core/audit/audit-chain.ts';
import { migrations } from '../../../src/store/migrations/list.ts';
import { startChild } from '../child-process.ts';
import { newest, olderSchemas, putOldDatabase, readLike } from '../old-databases.ts';
import { append, readTexts, sessionId, toSession } from '../rows.ts';
import { newPath, openRaw, openTestStore, refusal } from '../support.ts';

function readVersion(path: string): unknown {
  const raw = openRaw(path);
  const version = raw.prepare('PRAGMA user_version').get()?.user_version;
  raw.close();
  return version;
}

/** Every row of every table but the lease, which each start writes. */
function dump(path: string): Record<string, unknown[]> {
  const raw = openRaw(path);
  const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'owner');
  const rows = names.map((name) => {
    const all = raw.prepare(`SELECT * FROM "${name}"`);
    // The index of search has numbers of its own.
    all.setReadBigInts(true);
    return [name, all.all()];
  });
  raw.close();
  return Object.fromEntries(rows);
}

/** Sound on an empty database. */
const brokenByRows = 'CREATE TABLE half (x TEXT NOT NULL); INSERT INTO half SELECT NULL FROM sessions';

describe.each(olderSchemas)('P17: a database of schema %i', (schema) => {
  test('opens, keeps all it holds, and takes more', async () => {
    const path = newPath();
    const old = await putOldDatabase(path, schema);
    const upgrades: unknown[] = [];
    const beforeUpgrade = async (upgrade: unknown) => {
      upgrades.push([upgrade, readVersion(path)]);
    };
    const { store } = await openTestStore(path, { beforeUpgrade });
    expect(await readLike(old, store)).toMatchObject(old);
    const rows = old.auditHead?.rows ?? 0;
    expect(await verifyAudit(store.reads)).toEqual({ ok: true, rows });
    expect([upgrades, readVersion(path)]).toEqual([[[{ from: schema, to: newest }, schema]], newest]);
    await store.commit((tx) => tx.insertSession(toSession(1)));
    await append(store, 'new');
    expect([await readTexts(store), await store.reads.lastSeq(sessionId(1))]).toEqual([['new'], 1]);
  });

  test('is left as it was by an upgrade that fails in its last step, and the code of its time opens it', async () => {
    const path = newPath();
    await putOldDatabase(path, schema);
    const before = dump(path);
    const broken = [...migrations, { version: newest + 1, sql: brokenByRows }];
    const { code, message, data } = await refusal(openTestStore(path, {}, { migrations: broken }));
    expect({ code, data }).toEqual({
      code: 'storage_failed',
      data: { reason: 'refused', from: schema, to: newest + 1 },
    });
    expect(message).toContain(`The upgrade from schema ${schema} to ${newest + 1} was rolled back`);
    expect([readVersion(path), dump(path)]).toEqual([schema, before]);
    const again = await openTestStore(path, {}, { migrations: migrations.slice(0, schema) });
    await again.store.close();
  });

  test('is not touched when what must be done before the upgrade fails', async () => {
    const path = newPath();
    await putOldDatabase(path, schema);
    const before = dump(path);
    const refuse = () => Promise.reject(new Error('no room for a backup'));
    await expect(openTestStore(path, { beforeUpgrade: refuse })).rejects.toThrow('no room for a backup');
    expect([readVersion(path), dump(path)]).toEqual([schema, before]);
    await openTestStore(path);
  });
});

describe('P17: an upgrade', () => {
  test.each(migrations.slice(1))('survives a kill in its step to schema $version', async ({ version }) => {
    const path = newPath();
    const old = await putOldDatabase(path, 1);
    const before = dump(path);
    const child = startChild(path, 'own', 'migration.written', String(version - 1));
    expect([await child.next(), child.process.signalCode]).toEqual([undefined, 'SIGKILL']);
    expect([readVersion(path), dump(path)]).toEqual([1, before]);
    const { store } = await openTestStore(path);
    expect(await readLike(old, store)).toMatchObject(old);
    expect(readVersion(path)).toBe(newest);
  });

  test('of a new or an up-to-date database needs nothing done before', async () => {
    const path = newPath();
    const never = () => Promise.reject(new Error('called'));
    await (await openTestStore(path, { beforeUpgrade: never })).store.close();
    await openTestStore(path, { beforeUpgrade: never });
  });

  test('shows that it lives while what is done before takes its time', async () => {
    const path = newPath();
    await putOldDatabase(path, 1);
    const beats = new Set<unknown>();
    const beforeUpgrade = async () => {
      const raw = openRaw(path);
      while (beats.size < 3) {
        beats.add(raw.prepare('SELECT beat_at FROM owner').get()?.beat_at);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      raw.close();
    };
    await openTestStore(path, { beforeUpgrade }, { heartbeatIntervalMs: 10 });
    expect(beats.size).toBe(3);
  });
});
