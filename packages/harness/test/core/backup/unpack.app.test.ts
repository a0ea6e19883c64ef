// Files that are not, or no longer, what Toolyard wrote are refused, each in a sentence of its own.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pack } from '../../../src/core/backup/pack.ts';
import { refusal } from '../../store/support.ts';
import { rounds } from '../../support/soak.ts';
import { memoryDirectory } from '../../support/yard.ts';
import { head, readBackup, toArchive, toEntry, toOddEntry, writeFiles } from './archives.ts';

async function put(bytes: Buffer | string): Promise<string> {
  const path = join(await memoryDirectory(), 'backup.tar.gz');
  await writeFile(path, bytes);
  return path;
}

async function reasonOf(bytes: Buffer | string): Promise<unknown> {
  const { code, data } = await refusal(readBackup(await put(bytes)));
  return code === 'backup_invalid' ? data?.reason : code;
}

/** A small real one. */
async function makeReal(): Promise<Buffer> {
  const home = await memoryDirectory();
  await writeFiles(home, { 'toolyard.db': 'the database', 'roles/a.md': randomBytes(40).toString('hex') });
  const target = join(home, 'made.tar.gz');
  await pack({ home, database: join(home, 'toolyard.db'), target, head });
  return readFile(target);
}

const file = toEntry('roles/a.md', 'a');
const sums = { 'roles/a.md': 'a' };

describe('a backup', () => {
  it('that is whole is read', async () => {
    expect((await readBackup(await put(toArchive([file], sums)))).contents).toEqual(sums);
  });

  it('cut off anywhere is refused', async () => {
    const whole = await makeReal();
    const reasons = new Set<unknown>();
    for (let length = 0; length < whole.length; length += rounds({ short: 7, full: 1 }))
      reasons.add(await reasonOf(whole.subarray(0, length)));
    expect([...reasons]).toEqual(['torn']);
  });

  it('with any byte changed is refused, or gives the same', async () => {
    const whole = await makeReal();
    const path = await put(whole);
    const { contents } = await readBackup(path);
    const passed: number[] = [];
    const step = rounds({ short: 5, full: 1 });
    for (let at = 0; at < whole.length; at += step) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      await writeFile(path, changed);
      const found = await readBackup(path).catch((thrown) => refusal(Promise.reject(thrown)));
      if (found instanceof Error) continue;
      passed.push(at);
      expect(found.contents).toEqual(contents);
    }
    // Some bits of a deflated stream say nothing: when it was packed, codes that no byte uses.
    expect(passed.length).toBeLessThan(whole.length / step / 10);
  });

  it('whose content was changed and packed again is refused by its checksum', async () => {
    const bytes = gunzipSync(await makeReal());
    bytes.write('THE DATABASE', bytes.indexOf('the database'));
    expect(await reasonOf(gzipSync(bytes))).toBe('damaged');
  });

  it.each([
    ['../outside', '../outside'],
    ['an absolute path', '/etc/passwd'],
    ['a way up inside', 'roles/../../outside'],
    ['a dot', 'roles/./a.md'],
    ['nothing between', 'roles//a.md'],
    ['a backslash', 'roles\\..\\a.md'],
    ['the token', 'token'],
    ['word of a server', 'server.json'],
    ['the log of a database', 'toolyard.db-wal'],
    ['a folder of its own', 'elsewhere/a'],
    ['a database in a folder', 'toolyard.db/a'],
    ['a control character', 'roles/a\u0007.md'],
    ['nothing', ''],
  ])('that holds %s is refused', async (_, name) => {
    expect(await reasonOf(toArchive([toEntry(name, 'a')], { [name]: 'a' }))).toBe('unsafe');
  });

  it.each([
    ['a symbolic link', toOddEntry('roles/a.md', '2', '/etc/passwd')],
    ['a hard link', toOddEntry('roles/a.md', '1', 'toolyard.db')],
    ['a folder', toOddEntry('roles/a', '5')],
    ['a device', toOddEntry('roles/a', '3')],
    ['one file twice', Buffer.concat([file, file])],
  ])('that holds %s is refused', async (_, entry) => {
    expect(await reasonOf(toArchive([entry], sums))).toBe('unsafe');
  });

  it.each([
    ['has no checksums', toArchive([file], sums, { sums: Buffer.alloc(0) })],
    ['lacks a file', toArchive([], sums)],
    ['has one more', toArchive([file, toEntry('roles/b.md', 'b')], sums)],
    ['goes on after its end', toArchive([file], sums, { end: Buffer.alloc(2_048) })],
    ['has a broken head', toArchive([file], sums, { head: { schema: 'x' } })],
    ['has checksums that are none', toArchive([file], sums, { sums: toEntry('checksums.json', 'x') })],
    [
      'says it is huge',
      toArchive([file], sums, { sums: toOddEntry('checksums.json', '0').fill('7', 124, 135) }),
    ],
  ])('that %s is refused as damaged', async (_, bytes) => {
    expect(await reasonOf(bytes)).toBe('damaged');
  });

  it('of a newer form is refused with what to do', async () => {
    const newer = toArchive([file], sums, { head: { format: 2, version: '9.0.0' } });
    const { code, message } = await refusal(readBackup(await put(newer)));
    expect([code, message]).toEqual([
      'schema_newer',
      expect.stringMatching(/made by a newer Toolyard \(9\.0\.0\)\. Upgrade Toolyard/),
    ]);
  });

  it.each([
    ['text', 'name: value\n'],
    ['another archive', gzipSync(Buffer.concat([toEntry('a.txt', 'a'), Buffer.alloc(1_024)]))],
    ['something else that was gzipped', gzipSync('x'.repeat(5_000))],
    ['random bytes', Buffer.concat([Buffer.from([0]), randomBytes(5_000)])],
  ])('that is %s is refused as none', async (_, bytes) => {
    expect(['foreign', 'damaged']).toContain(await reasonOf(bytes));
  });

  it('that is not there, or a directory, is refused in words', async () => {
    const folder = await memoryDirectory();
    expect((await refusal(readBackup(join(folder, 'none')))).message).toContain('There is no file');
    expect((await refusal(readBackup(folder))).message).toContain('is not a Toolyard backup');
  });
});
