// Backups through the door: who may, where they go, how many are kept, one at a time, and the evidence. Homes of every
// older schema with TOOLYARD_SOAK=full.
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { restoreHome } from '../../src/app/backup.ts';
import { newest, olderSchemas, putOldDatabase } from '../store/old-databases.ts';
import { openRaw, refusal } from '../store/support.ts';
import { isFullSoak } from '../support/soak.ts';
import { converse, openTestYard, temporaryDirectory } from '../support/yard.ts';
import { createDesk } from './homes.ts';

const first = { name: /^toolyard-[\dTZ-]+\.tar\.gz$/ };

async function backupsIn(home: string): Promise<string[]> {
  return (await readdir(join(home, 'backups'))).sort();
}

describe('a backup', () => {
  it('goes into the home’s own folder, closed to others, and says what it is', async () => {
    const yard = await openTestYard();
    const made = await yard.client().backup();
    const { mode, size } = await stat(made.path);
    expect(made).toEqual({
      path: join(yard.home, 'backups', (await backupsIn(yard.home))[0] ?? ''),
      bytes: size,
      createdAt: expect.any(String),
      version: 'development',
      schema: newest,
      files: 1,
      left: [],
      removed: [],
    });
    expect([(await backupsIn(yard.home))[0]?.match(first.name)?.length, mode & 0o777]).toEqual([1, 0o600]);
    expect((await stat(join(yard.home, 'backups'))).mode & 0o777).toBe(0o700);
    const { items } = await yard.client().audit.list();
    expect(items.at(-1)).toMatchObject({ kind: 'change', change: 'backup_created', subject: made.path });
  });

  it('holds no secret of the home', async () => {
    const yard = await openTestYard({ env: { ANTHROPIC_API_KEY: 'sk-ant-a-key-of-mine' } });
    const token = await yard.client().tokens.create({ name: 'a', kind: 'agent', role: 'assistant' });
    const { path } = await yard.client().backup();
    const { stdout } = spawnSync('tar', ['-xzOf', path], { maxBuffer: 2 ** 26 });
    const found = [yard.token, token.secret, 'sk-ant-a-key-of-mine'].filter((secret) =>
      stdout.includes(secret),
    );
    expect([stdout.length > 10_000, found]).toEqual([true, []]);
  });

  it('keeps the newest of the home’s own, and touches no other file there', async () => {
    const home = await temporaryDirectory();
    await writeFile(join(home, 'config.yaml'), 'backup: { keep: 2 }\n');
    await mkdir(join(home, 'backups'));
    await writeFile(join(home, 'backups', 'mine.tar.gz'), 'x');
    await writeFile(join(home, 'backups', `toolyard-2026.tar.gz.${'a'.repeat(12)}.part`), 'cut off');
    const yard = await openTestYard({ home });
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push(await yard.client().backup());
    expect(made.map(({ removed }) => removed)).toEqual([[], [], [made[0]?.path]]);
    const kept = made.slice(1).map(({ path }) => path.slice(join(home, 'backups').length + 1));
    expect(await backupsIn(home)).toEqual(['mine.tar.gz', ...kept]);
  });

  it('goes where a person says, and takes no other file’s place', async () => {
    const yard = await openTestYard();
    const path = join(await temporaryDirectory(), 'x.tar.gz');
    expect((await yard.client().backup({ path })).path).toBe(path);
    const answers = [];
    for (const wanted of [path, 'relative.tar.gz', join(path, 'below'), '/no/such/folder/x'])
      answers.push(await refusal(yard.client().backup({ path: wanted })));
    expect(answers.map(({ code }) => code)).toEqual([
      ...['invalid_request', 'invalid_request', 'invalid_request', 'invalid_request'],
    ]);
    expect(answers[0]?.message).toContain('Choose another path');
  });

  it('takes no place in the home that something else is for', async () => {
    const yard = await openTestYard();
    const link = join(await temporaryDirectory(), 'link');
    await symlink(yard.home, link);
    for (const name of ['backups', 'roles']) await mkdir(join(yard.home, name), { recursive: true });
    const before = await readdir(yard.home);
    for (const path of [join(yard.home, 'config.yaml'), join(link, 'x'), join(yard.home, 'roles', 'x')]) {
      const message = `${path} cannot be inside the home ${yard.home}. Choose a file outside it, or in ${join(yard.home, 'backups')}.`;
      expect(await refusal(yard.client().backup({ path }))).toMatchObject({
        code: 'invalid_request',
        message,
      });
    }
    expect(await readdir(yard.home)).toEqual(before);
    const inside = join(yard.home, 'backups', 'mine.tar.gz');
    expect((await yard.client().backup({ path: inside })).path).toBe(inside);
  });

  it('is one at a time', async () => {
    const yard = await openTestYard();
    const [one, two] = await Promise.allSettled([yard.client().backup(), yard.client().backup()]);
    expect(one.status).toBe('fulfilled');
    expect(two).toMatchObject({ status: 'rejected', reason: { code: 'backup_running' } });
    expect((await yard.client().backup()).files).toBe(1);
  });

  it('is for persons', async () => {
    const yard = await openTestYard();
    const { secret } = await yard.client().tokens.create({ name: 'a', kind: 'agent', role: 'assistant' });
    const agent = createClient({ baseUrl: 'http://127.0.0.1', token: secret, fetch: yard.fetch });
    expect((await refusal(agent.backup())).code).toBe('person_only');
  });

  it('keeps a server from idling away, and ends with it', async () => {
    const yard = await openTestYard();
    const making = refusal(yard.client().backup());
    while ((await backupsIn(yard.home).catch(() => [])).length === 0) await new Promise(setImmediate);
    expect(yard.activity().idleSince).toBeUndefined();
    await yard.close();
    expect((await making).code).toBe('shutting_down');
    expect(await backupsIn(yard.home)).toEqual([]);
  });
});

/** What the store makes of each of them is in store/migrations/upgrade.real.test.ts; here each is backed up as any other. */
const backedUpSchemas = isFullSoak
  ? olderSchemas
  : olderSchemas.filter((schema) => [1, Math.ceil(newest / 2), newest - 1].includes(schema));

describe('P17: a home of an older Toolyard', () => {
  it.each(backedUpSchemas)(
    'with schema %i is backed up before it is upgraded, and can go back',
    async (schema) => {
      const home = await temporaryDirectory();
      const old = await putOldDatabase(join(home, 'toolyard.db'), schema);
      const said: string[] = [];
      const desk = createDesk();
      const yard = await openTestYard({ home, ...desk.options, onUpgrade: (line) => said.push(line) });
      const { items } = await yard.client().sessions.list();
      expect(items.map(({ id }) => id)).toEqual(old.sessions.map(({ id }) => id));
      expect((await yard.client().audit.verify()).ok).toBe(true);
      const id = items.find(({ title }) => title === 'Tools')?.id ?? '';
      expect((await converse(yard, id, 'more')).at(-1)?.data).toMatchObject({ outcome: 'completed' });
      const [name = '', ...others] = await backupsIn(home);
      expect([name.startsWith(`before-schema-${newest}-`), others, said.length]).toEqual([true, [], 2]);
      const back = join(await temporaryDirectory(), 'home');
      const { head } = await restoreHome({ file: join(home, 'backups', name), home: back, force: false });
      const raw = openRaw(join(back, 'toolyard.db'));
      expect([head.schema, raw.prepare('PRAGMA user_version').get()?.user_version]).toEqual([schema, schema]);
    },
  );

  it('goes on with what waited for its person', async () => {
    const home = await temporaryDirectory();
    await putOldDatabase(join(home, 'toolyard.db'), 2);
    const yard = await openTestYard({ home, ...createDesk().options });
    const [approval] = (await yard.client().approvals.list({ state: 'pending' })).items;
    const answered = await yard.client().approvals.answer(approval?.id ?? '', { decision: 'allow' });
    expect([approval?.tool, answered.state]).toEqual(['mcp__toolyard__ping', 'allowed']);
  });

  it('is not upgraded when it cannot be backed up', async () => {
    const home = await temporaryDirectory();
    await putOldDatabase(join(home, 'toolyard.db'), 1);
    await writeFile(join(home, 'backups'), 'in the way');
    const { code, message } = await refusal(openTestYard({ home }));
    expect([code, message]).toEqual(['backup_failed', expect.stringContaining('nothing was changed')]);
    const raw = openRaw(join(home, 'toolyard.db'));
    expect(raw.prepare('PRAGMA user_version').get()?.user_version).toBe(1);
  });

  it('keeps three of these backups', async () => {
    const home = await temporaryDirectory();
    const upgrade = async () => {
      await putOldDatabase(join(home, 'toolyard.db'), 1);
      await (await openTestYard({ home })).close();
    };
    await upgrade();
    const [name = ''] = await backupsIn(home);
    // As if there had been two more in the years before.
    for (const year of ['2024', '2025'])
      await copyFile(join(home, 'backups', name), join(home, 'backups', name.replace(/\d{4}-/, `${year}-`)));
    const before = await backupsIn(home);
    await upgrade();
    const after = await backupsIn(home);
    expect([before.length, after.length, after.slice(0, 2)]).toEqual([3, 3, before.slice(1)]);
  });
});
