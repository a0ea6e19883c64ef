// What is packed comes back byte for byte, and any tar can look into it.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pack } from '../../../src/core/backup/pack.ts';
import { parsePax, parseTarBlock, toTarHeader } from '../../../src/core/backup/tar.ts';
import { memoryDirectory } from '../../support/yard.ts';
import { head, readBackup, writeFiles } from './archives.ts';

const longName = `skills/${'deep/'.repeat(40)}SKILL.md`;

/** A home with a bit of everything, packed. */
async function packHome() {
  const home = await memoryDirectory();
  const big = randomBytes(3 * 1024 * 1024);
  const files = {
    'toolyard.db': 'no database, but bytes',
    'config.yaml': 'server: { port: 1 }\n',
    'outputs/ses_1/out_1': big,
    'outputs/ses_2/out_2': '',
    'roles/ångström – 日本.md': 'x'.repeat(512),
    [longName]: 'long',
  };
  await writeFiles(home, {
    ...files,
    token: 'secret',
    'server.json': '{}',
    'logs/a.log': 'x',
    'traces/t': 'x',
    'backups/b.tar.gz': 'x',
    'elsewhere/x': 'x',
  });
  await utimes(join(home, 'config.yaml'), 1_000_000_000, 1_000_000_000);
  await symlink('/etc/passwd', join(home, 'roles', 'link.md'));
  await symlink('/etc', join(home, 'skills', 'folder'));
  await writeFiles(home, { 'roles/back\\slash.md': 'x' });
  const target = join(home, 'made.tar.gz');
  const packed = await pack({ home, database: join(home, 'toolyard.db'), target, head });
  return { home, files, target, packed };
}

it('a backup gives back every file of the home that belongs in it, and says what it left', async () => {
  const { files, target, packed } = await packHome();
  const found = await readBackup(target);
  const meant = Object.entries(files).map(([path, content]) => [
    path,
    Buffer.from(content).toString('latin1'),
  ]);
  expect(found).toEqual({ head, files: packed.files, contents: Object.fromEntries(meant) });
  expect(packed.left.sort()).toEqual(['roles/back\\slash.md', 'roles/link.md', 'skills/folder']);
  expect((await stat(target)).mode & 0o777).toBe(0o600);
});

it('a backup is a tar that any tar unpacks', async () => {
  const { home, target } = await packHome();
  const listed = spawnSync('tar', ['-tzf', target, '--quoting-style=literal'], { encoding: 'utf8' });
  expect(listed.stdout.trim().split('\n')).toEqual([
    ...['toolyard-backup.json', 'toolyard.db', 'config.yaml', 'outputs/ses_1/out_1', 'outputs/ses_2/out_2'],
    ...['roles/ångström – 日本.md', longName, 'checksums.json'],
  ]);
  const unpacked = await memoryDirectory();
  expect(spawnSync('tar', ['-xzf', target, '-C', unpacked]).status).toBe(0);
  const same = spawnSync('cmp', [join(home, 'outputs/ses_1/out_1'), join(unpacked, 'outputs/ses_1/out_1')]);
  expect([same.status, (await stat(join(unpacked, 'config.yaml'))).mtimeMs]).toEqual([0, 1_000_000_000_000]);
});

it('never writes over a file', async () => {
  const { home, target } = await packHome();
  const again = pack({ home, database: join(home, 'toolyard.db'), target, head });
  await expect(again).rejects.toThrow('EEXIST');
});

it('a header says a file’s name and size, however long and large', () => {
  for (const entry of [
    { name: 'toolyard.db', size: 20 * 1024 ** 3, modifiedAt: 1_700_000_000 },
    { name: 'x'.repeat(100), size: 8 ** 11 - 1, modifiedAt: 0 },
    { name: `roles/${'ö'.repeat(400)}`, size: 8 ** 11, modifiedAt: 5 },
    { name: `outputs/${'y'.repeat(985)}`, size: 0, modifiedAt: 1 },
  ]) {
    const blocks = toTarHeader(entry);
    const first = parseTarBlock(blocks.subarray(0, 512));
    const last = parseTarBlock(blocks.subarray(blocks.length - 512));
    if (last.kind !== 'file' || first.kind === 'wrong' || first.kind === 'end') throw new Error('no header');
    const records = first.kind === 'pax' ? parsePax(blocks.subarray(512, 512 + first.entry.size)) : {};
    expect({ ...last.entry, ...records }).toEqual(entry);
  }
});
