// Every refusal of a restore is one sentence that says what to do, and changes nothing.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { restoreHome } from '../../src/app/backup.ts';
import { toArchive, toEntry } from '../core/backup/archives.ts';
import { startChild } from '../store/child-process.ts';
import { openRaw, openTestStore, refusal } from '../store/support.ts';
import { openTestYard, temporaryDirectory } from '../support/yard.ts';
import { lookAt, makeBackup, makeHome, readTree } from './homes.ts';

const folder = await mkdtemp(join(tmpdir(), 'toolyard-test-'));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
const apple = await makeBackup('apple', folder);

const makePear = async () => makeHome('pear', await temporaryDirectory());

async function namesIn(home: string): Promise<string[]> {
  return (await readdir(home)).sort();
}

describe('a restore is refused, and changes nothing,', () => {
  async function expectRefused(home: string, file: string, force: boolean) {
    const before = await readTree(home);
    const { code, message } = await refusal(restoreHome({ file, home, force }));
    expect(await readTree(home)).toEqual(before);
    expect(message).toMatch(/[.]$/);
    return { code, message };
  }

  it('where a home has data and nobody forces it', async () => {
    const { code, message } = await expectRefused(await makePear(), apple, false);
    expect([code, message]).toEqual(['home_not_empty', expect.stringContaining('Add --force to replace it')]);
  });

  it('while a server answers', async () => {
    const home = await makePear();
    const yard = await openTestYard({ home });
    const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
    const { code, message } = await refusal(restoreHome({ file: apple, home, force: true }));
    expect([code, message]).toEqual([
      'home_in_use',
      expect.stringContaining(`answers at ${url}. Stop it first.`),
    ]);
    expect((await lookAt(yard)).titles).toEqual(['pear']);
  });

  it('while another process owns the home', async () => {
    const home = await temporaryDirectory();
    const child = startChild(join(home, 'toolyard.db'), 'own');
    expect(await child.next()).toBe('open');
    const { code } = await refusal(restoreHome({ file: apple, home, force: true }));
    expect([code, await namesIn(home).then((names) => names.filter((name) => /restor/.test(name)))]).toEqual([
      'home_in_use',
      [],
    ]);
  });

  it.each([
    ['torn', (whole: Buffer) => whole.subarray(0, whole.length - 9)],
    [
      'damaged',
      (whole: Buffer) => Buffer.concat([whole.subarray(0, 300), Buffer.alloc(40), whole.subarray(340)]),
    ],
    ['foreign', () => Buffer.from('server: {}\n')],
    ['empty', () => Buffer.alloc(0)],
    ['tricky', () => toArchive([toEntry('../../evil', 'x')], { '../../evil': 'x' })],
    ['without a database', () => toArchive([toEntry('roles/a.md', 'x')], { 'roles/a.md': 'x' })],
    ['with a database that is none', () => toArchive([toEntry('toolyard.db', 'x')], { 'toolyard.db': 'x' })],
  ])('of a file that is %s', async (_, change) => {
    const file = join(await temporaryDirectory(), 'bad.tar.gz');
    await writeFile(file, change(await readFile(apple)));
    expect((await expectRefused(await makePear(), file, true)).code).toBe('backup_invalid');
  });

  it('of a backup by a newer Toolyard, whatever its head says', async () => {
    const path = join(await temporaryDirectory(), 'toolyard.db');
    await (await openTestStore(path)).store.close();
    const raw = openRaw(path);
    raw.exec('PRAGMA user_version = 999');
    raw.close();
    const database = await readFile(path);
    const entry = toEntry('toolyard.db', database);
    const home = await makePear();
    for (const schema of [999, 1]) {
      const file = join(await temporaryDirectory(), 'newer.tar.gz');
      await writeFile(file, toArchive([entry], { 'toolyard.db': database }, { head: { schema } }));
      const { code, message } = await expectRefused(home, file, true);
      expect([code, message]).toEqual(['schema_newer', expect.stringContaining('Upgrade Toolyard')]);
    }
  });

  it.each([
    ['a home that is not there', ['new', 'home']],
    ['an empty one', []],
  ])('and leaves nothing behind, in %s', async (_, names) => {
    const top = await temporaryDirectory();
    const file = join(await temporaryDirectory(), 'bad.tar.gz');
    await writeFile(file, 'no backup');
    const home = join(top, ...names);
    expect((await refusal(restoreHome({ file, home, force: false }))).code).toBe('backup_invalid');
    expect(await readdir(top)).toEqual([]);
  });

  it('into what is no directory', async () => {
    const home = join(await temporaryDirectory(), 'file');
    await writeFile(home, 'x');
    const { code } = await refusal(restoreHome({ file: apple, home, force: true }));
    expect(code).toBe('home_unusable');
  });
});
