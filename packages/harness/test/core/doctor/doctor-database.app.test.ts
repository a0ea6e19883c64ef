// The doctor and a real database: sound, from within its server, damaged, and touched.
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { diagnose as diagnoseHome, diagnoseInWorker } from '../../../src/app/doctor.ts';
import { inspectDatabase } from '../../../src/store/inspect-database.ts';
import { converse, openTestYard } from '../../support/yard.ts';

describe('a real database', () => {
  it('is looked at whole, also from within its server, which goes on meanwhile', async () => {
    const yard = await openTestYard({ env: { TOOLYARD_LOG: 'silent' } });
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, 'hello');
    const options = { path: join(yard.home, 'toolyard.db'), now: Date.now(), host: hostname() };
    const facts = await inspectDatabase(options);
    expect(facts).toMatchObject({
      sessions: 1,
      canShrink: true,
      audit: { ok: true },
      search: { titles: true },
      owner: { pid: process.pid, held: true, isAlive: true },
    });
    expect(facts?.schema.found).toBe(facts?.schema.known);
    const { ok, items } = await yard.client().diagnose();
    expect([ok, items.find(({ name }) => name === 'database')]).toEqual([
      true,
      { name: 'database', state: 'ok', message: expect.stringMatching(/^sound, schema \d+, 1 session, /) },
    ]);
    expect(items.find(({ name }) => name === 'lease')).toMatchObject({ state: 'ok' });
  });

  it('that is damaged, or whose evidence was touched, fails', async () => {
    const yard = await openTestYard();
    await yard.client().tokens.create({ name: 'a', kind: 'person' });
    await yard.client().tokens.create({ name: 'b', kind: 'person' });
    await yard.close();
    const path = join(yard.home, 'toolyard.db');
    const database = new DatabaseSync(path);
    database.exec(`UPDATE audit SET body = replace(body, 'token_created', 'token_revoked') WHERE seq = 1`);
    database.close();
    const { home } = yard;
    const env = { PATH: process.env.PATH, HOME: home };
    const waitWithoutSlot = () => diagnoseInWorker({ home, env, tools: { toolkits: [], tools: [] } });
    const look = async (run = () => diagnoseHome(home, env)) =>
      (await run()).filter(({ state }) => state === 'fail').map(({ name }) => name);
    expect(await look()).toEqual(['audit']);
    await rm(path);
    await writeFile(path, 'this is no database, and it is long enough to be looked at'.repeat(100));
    expect([await look(), await look(waitWithoutSlot)]).toEqual([['database'], ['database']]);
  });

  it('of a newer Toolyard is sound: what to do stands in one sentence, and no other is added', async () => {
    const yard = await openTestYard();
    await yard.close();
    const database = new DatabaseSync(join(yard.home, 'toolyard.db'));
    database.exec('PRAGMA user_version = 9999');
    database.close();
    const findings = await diagnoseHome(yard.home, { PATH: process.env.PATH, HOME: yard.home });
    expect(findings.find(({ name }) => name === 'database')).toEqual({
      name: 'database',
      state: 'fail',
      message: expect.stringMatching(/Upgrade Toolyard/),
    });
  });
});
