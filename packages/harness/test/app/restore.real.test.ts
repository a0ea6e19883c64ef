// A restore is all or nothing: what was backed up is back and what was there is kept; every refusal changes nothing.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { restoreHome } from '../../src/app/backup.ts';
import { migrations } from '../../src/store/migrations/list.ts';
import { toArchive, toEntry } from '../core/backup/archives.ts';
import { startChild } from '../store/child-process.ts';
import { addSession, readTexts } from '../store/rows.ts';
import { clockAhead, openRaw, openTestStore, refusal } from '../store/support.ts';
import { openTestYard, readUntil, temporaryDirectory } from '../support/yard.ts';
import { createDesk, isApprovalAsked, lookAt, makeBackup, makeHome, toLook } from './homes.ts';

const folder = await mkdtemp(join(tmpdir(), 'toolyard-test-'));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
const apple = await makeBackup('apple', folder);

const makePear = async () => makeHome('pear', await temporaryDirectory());

function readEpoch(home: string): unknown {
  const raw = openRaw(join(home, 'toolyard.db'));
  const row = raw.prepare('SELECT epoch FROM owner').get();
  raw.close();
  return row?.epoch;
}

const current = { head: { schema: migrations.length } };

async function namesIn(home: string): Promise<string[]> {
  return (await readdir(home)).sort();
}

describe('a restore', () => {
  it('into a new home gives back all of it, and a token of its own', async () => {
    const home = join(await temporaryDirectory(), 'new', 'home');
    const restored = await restoreHome({ file: apple, home, force: false });
    expect(restored).toMatchObject({
      home,
      head: { product: 'Toolyard', schema: migrations.length },
      files: 4,
    });
    expect(await namesIn(home)).toEqual(['config.yaml', 'home.lock', 'outputs', 'roles', 'toolyard.db']);
    const yard = await openTestYard({ home });
    expect(await lookAt(yard)).toEqual(toLook('apple'));
    expect(yard.token).not.toBe((await readFile(join(folder, 'token'), 'utf8')).trim());
  });

  it('by force replaces what is there, and keeps it as a home of its own', async () => {
    const home = await makePear();
    await writeFile(join(home, 'roles', 'second.md'), 'x');
    const token = await readFile(join(home, 'token'), 'utf8');
    const { aside = '' } = await restoreHome({ file: apple, home, force: true });
    const yard = await openTestYard({ home });
    expect([await lookAt(yard), `${yard.token}\n`]).toEqual([toLook('apple'), token]);
    expect((await namesIn(home)).filter((name) => name.startsWith('.') || name === 'restore.json')).toEqual(
      [],
    );
    expect(await namesIn(join(aside, 'roles'))).toEqual(['pear.md', 'second.md']);
    expect(await lookAt(await openTestYard({ home: aside }))).toMatchObject({
      titles: ['pear'],
      output: 'pear',
    });
  });

  it('takes the home’s own backups along, and can be undone by one', async () => {
    const home = await makePear();
    const yard = await openTestYard({ home });
    const { path } = await yard.client().backup();
    await yard.close();
    await restoreHome({ file: apple, home, force: true });
    await restoreHome({ file: path, home, force: true });
    expect(await lookAt(await openTestYard({ home }))).toEqual(toLook('pear'));
  });

  it('P10: leaves an epoch above every one before', async () => {
    const home = await makePear();
    for (let starts = 0; starts < 4; starts += 1) await (await openTestYard({ home })).close();
    const before = Number(readEpoch(home));
    const { aside = '' } = await restoreHome({ file: apple, home, force: true });
    expect([readEpoch(home), readEpoch(aside)]).toEqual([before + 2, before + 1]);
  });

  it('P10: a paused owner of the old database cannot write when it wakes', async () => {
    const home = await temporaryDirectory();
    const path = join(home, 'toolyard.db');
    const { store } = await openTestStore(path);
    await addSession(store);
    await store.close();
    const child = startChild(path, 'own');
    expect(await child.next()).toBe('open');
    child.tell('before');
    expect(await child.next()).toBe('stored');
    child.process.kill('SIGSTOP');
    const wanted = { file: apple, home, force: true };
    expect((await refusal(restoreHome(wanted))).code).toBe('home_in_use');
    const { aside = '' } = await restoreHome(wanted, { clock: clockAhead(20_000) });
    child.process.kill('SIGCONT');
    child.tell('after');
    expect(await child.next()).toBe('owner_lost');
    const kept = await openTestStore(join(aside, 'toolyard.db'));
    expect(await readTexts(kept.store)).toEqual(['before']);
    expect(await lookAt(await openTestYard({ home }))).toEqual(toLook('apple'));
  });

  it('over a database that is damaged works, and keeps the damaged one as it was', async () => {
    const home = await makePear();
    await writeFile(join(home, 'toolyard.db'), 'no database at all'.repeat(1_000));
    const { aside = '' } = await restoreHome({ file: apple, home, force: true });
    expect(await lookAt(await openTestYard({ home }))).toEqual(toLook('apple'));
    expect(await readFile(join(aside, 'toolyard.db'), 'utf8')).toBe('no database at all'.repeat(1_000));
  });

  it('over a database of a newer Toolyard works: that is how one goes back', async () => {
    const home = await makePear();
    const raw = openRaw(join(home, 'toolyard.db'));
    raw.exec('PRAGMA user_version = 999');
    raw.close();
    await restoreHome({ file: apple, home, force: true });
    expect(await lookAt(await openTestYard({ home }))).toEqual(toLook('apple'));
  });

  it('of an older schema is brought up to date at the next start', async () => {
    const home = join(await temporaryDirectory(), 'home');
    const path = join(await temporaryDirectory(), 'toolyard.db');
    const older = await openTestStore(path, {}, { migrations: migrations.slice(0, 2) });
    await older.store.close();
    const database = await readFile(path);
    const file = join(await temporaryDirectory(), 'old.tar.gz');
    const entry = toEntry('toolyard.db', database);
    await writeFile(file, toArchive([entry], { 'toolyard.db': database }, { head: { schema: 2 } }));
    await restoreHome({ file, home, force: false });
    const yard = await openTestYard({ home });
    expect((await yard.client().sessions.list()).items).toEqual([]);
    expect(
      (await readdir(join(home, 'backups'))).filter((name) => name.startsWith('before-schema-')),
    ).toHaveLength(1);
  });
});

describe('after a restore', () => {
  it('what waited for a person waits as after a restart, and runs once when allowed', async () => {
    const first = createDesk();
    const yard = await openTestYard(first.options);
    const { id } = await yard.client().sessions.create({});
    await yard.client().sessions.send(id, 'stamp passport');
    await readUntil(yard, id, isApprovalAsked);
    const { path } = await yard.client().backup();
    const home = join(await temporaryDirectory(), 'home');
    await restoreHome({ file: path, home, force: false });
    const second = createDesk();
    const restored = await openTestYard({ home, ...second.options });
    const [approval] = (await restored.client().approvals.list({ state: 'pending' })).items;
    await restored.client().approvals.answer(approval?.id ?? '', { decision: 'allow' });
    const events = await readUntil(restored, id, ({ type }) => type === 'turn_end');
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'completed' });
    expect([first.ran, second.ran]).toEqual([[], ['passport']]);
  });

  it('P5: a call that was allowed and not yet started is not run: it may have been, since', async () => {
    const first = createDesk();
    const yard = await openTestYard(first.options);
    const { id } = await yard.client().sessions.create({});
    await yard.client().sessions.send(id, 'stamp passport');
    await readUntil(yard, id, isApprovalAsked);
    const { path } = await yard.client().backup();
    const home = join(await temporaryDirectory(), 'home');
    await restoreHome({ file: path, home, force: false });
    // As a backup in the moment between the answer and the start would have it.
    const raw = openRaw(join(home, 'toolyard.db'));
    raw.exec("UPDATE tool_calls SET state = 'allowed'; UPDATE approvals SET state = 'allowed'");
    raw.close();
    const moment = join(await temporaryDirectory(), 'moment.tar.gz');
    const database = await readFile(join(home, 'toolyard.db'));
    await writeFile(
      moment,
      toArchive([toEntry('toolyard.db', database)], { 'toolyard.db': database }, current),
    );
    await restoreHome({ file: moment, home, force: true });
    const second = createDesk();
    const restored = await openTestYard({ home, ...second.options });
    const events = await readUntil(restored, id, ({ type }) => type === 'turn_end');
    const [result] = events.filter(({ type }) => type === 'tool_result');
    expect([result?.data, events.at(-1)?.data]).toMatchObject([
      { outcome: 'unknown' },
      { outcome: 'failed', error: { code: 'restarted' } },
    ]);
    expect(second.ran).toEqual([]);
  });
});

describe('a home that is being restored', () => {
  it('does not open until that is done, and then with what was restored', async () => {
    const home = await makePear();
    const opened: string[] = [];
    let opening: Promise<void> | undefined;
    const onCrashPoint = (point: string) => {
      if (point !== 'restore.decided') return;
      opening = openTestYard({ home }).then(async (yard) => void opened.push(...(await lookAt(yard)).titles));
    };
    await restoreHome({ file: apple, home, force: true }, { onCrashPoint });
    await opening;
    expect(opened).toEqual(['apple']);
  });
});
