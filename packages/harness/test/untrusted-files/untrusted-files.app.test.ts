import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  isRealFolder,
  openFolder,
  openRegularFile,
  openRegularFileBelow,
  readText,
} from '../../src/untrusted-files/untrusted-files.ts';
import { makeFolder } from '../support/workspace.ts';

const notRegular = { code: 'ENOTREGULAR' };

async function hold(path: string) {
  const folder = await openFolder(path);
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder;
}

function makePipe(...path: string[]): void {
  execFileSync('mkfifo', [join(...path)]);
}

describe('a file where agents can write', () => {
  test('F3, F8: is read when it is one, and refused at once when it is a link, a pipe, a device or a folder', async () => {
    const root = makeFolder({ 'a.txt': 'hello', 'folder/b.txt': 'x' });
    symlinkSync('a.txt', join(root, 'link'));
    makePipe(root, 'pipe');
    expect(await readText(join(root, 'a.txt'), 100)).toBe('hello');
    expect(await readText(join(root, 'missing'), 100)).toBeUndefined();
    expect(await readText(join(root, 'a.txt/below'), 100)).toBeUndefined();
    for (const name of ['link', 'pipe', 'folder'])
      await expect(readText(join(root, name), 100)).rejects.toMatchObject(notRegular);
    await expect(readText('/dev/zero', 100)).rejects.toMatchObject(notRegular);
    await expect(openRegularFile(join(root, 'pipe'))).rejects.toMatchObject(notRegular);
  });

  test('F8: ten pipes at once leave the file system to others', async () => {
    const root = makeFolder({ 'a.txt': 'hello' });
    for (let at = 0; at < 10; at++) makePipe(root, `pipe-${at}`);
    const pipes = Array.from({ length: 10 }, (_, at) => readText(join(root, `pipe-${at}`), 100));
    const [file, ...others] = await Promise.allSettled([readText(join(root, 'a.txt'), 100), ...pipes]);
    expect(file).toEqual({ status: 'fulfilled', value: 'hello' });
    expect(others.every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('is refused when it is longer than was asked for', async () => {
    const root = makeFolder({ 'a.txt': 'hello' });
    expect(await readText(join(root, 'a.txt'), 5)).toBe('hello');
    await expect(readText(join(root, 'a.txt'), 4)).rejects.toMatchObject({ code: 'EFBIG' });
  });

  test('F3: is found below a folder through no link, unless links are a person’s own there', async () => {
    const root = makeFolder({ 'real/a.txt': 'hello' });
    symlinkSync('real', join(root, 'link'));
    symlinkSync(join(root, 'real'), join(root, 'root'));
    for (const [folder, path, options] of [
      [root, 'real/a.txt', {}],
      [join(root, 'root'), 'a.txt', {}],
      [root, 'link/a.txt', { followLinks: true }],
    ] as const) {
      await using file = await openRegularFileBelow(folder, path, options);
      expect(await file.readFile('utf8')).toBe('hello');
    }
    await expect(openRegularFileBelow(root, 'link/a.txt')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(openRegularFileBelow(root, '../x')).rejects.toThrow(TypeError);
  });
});

describe('a folder that is held', () => {
  test('F3: is not opened through a link, wherever on the way it is', async () => {
    const root = makeFolder({ 'real/below/a.txt': '' });
    symlinkSync('real', join(root, 'link'));
    expect(await isRealFolder(join(root, 'real/below'))).toBe(true);
    for (const path of ['link', 'link/below', 'real/below/a.txt', 'missing'])
      expect([path, await isRealFolder(join(root, path))]).toEqual([path, false]);
  });

  test('F2, F5: takes names, never paths', async () => {
    const folder = await hold(makeFolder());
    for (const name of ['', '.', '..', 'a/b', '/etc/passwd', 'a\0b'])
      await expect(folder.readText(name, 10)).rejects.toThrow(TypeError);
  });

  test('F4: stays the same one when its name comes to mean another', async () => {
    const [root, other] = [makeFolder({ 'own/a.txt': 'own' }), makeFolder({ 'a.txt': 'other' })];
    const folder = await hold(join(root, 'own'));
    renameSync(join(root, 'own'), join(root, 'moved'));
    symlinkSync(other, join(root, 'own'));
    expect(await folder.readText('a.txt', 10)).toBe('own');
    await folder.writeText('b.txt', 'new');
    await folder.removeTree('a.txt');
    expect([readdirSync(join(root, 'moved')), readdirSync(other)]).toEqual([['b.txt'], ['a.txt']]);
  });

  test('F3: replaces a link or a pipe that it writes over, and keeps the mode of a file', async () => {
    const root = makeFolder({ 'victim.txt': 'precious', 'mode.txt': '' });
    symlinkSync('victim.txt', join(root, 'link'));
    makePipe(root, 'pipe');
    chmodSync(join(root, 'mode.txt'), 0o600);
    const folder = await hold(root);
    for (const name of ['link', 'pipe', 'mode.txt', 'new.txt']) await folder.writeText(name, 'written');
    const texts = ['victim.txt', 'link', 'pipe', 'mode.txt', 'new.txt'].map((name) =>
      readFileSync(join(root, name), 'utf8'),
    );
    expect(texts).toEqual(['precious', 'written', 'written', 'written', 'written']);
    expect(statSync(join(root, 'mode.txt')).mode & 0o777).toBe(0o600);
    expect(readdirSync(root)).toHaveLength(5);
  });
});

describe('a tree that is removed', () => {
  test('F3: is gone, and nothing behind its links is', async () => {
    const canary = makeFolder({ 'a.txt': 'x' });
    const root = makeFolder({ 'tree/a.txt': '', 'tree/b/c.txt': '' });
    symlinkSync(canary, join(root, 'tree/link'));
    makePipe(root, 'tree/pipe');
    const folder = await hold(root);
    await folder.removeTree('tree');
    await folder.removeTree('missing');
    expect([readdirSync(root), readdirSync(canary)]).toEqual([[], ['a.txt']]);
  });

  test('may be deeper than there are descriptors', async () => {
    const root = makeFolder();
    // Deeper than a path can be long: made by moving what there is into a new one.
    for (let depth = 0; depth < 300; depth++) {
      mkdirSync(join(root, 'outer'));
      if (depth > 0) renameSync(join(root, 'tree'), join(root, 'outer/inner'));
      renameSync(join(root, 'outer'), join(root, 'tree'));
    }
    await (await hold(root)).removeTree('tree');
    expect(readdirSync(root)).toEqual([]);
  });

  test('goes also where its owner took the rights away', async () => {
    const root = makeFolder({ 'tree/closed/a.txt': '', 'tree/dark/deep/b.txt': '' });
    chmodSync(join(root, 'tree/closed'), 0o500);
    chmodSync(join(root, 'tree/dark'), 0o000);
    await (await hold(root)).removeTree('tree');
    expect(existsSync(join(root, 'tree'))).toBe(false);
  });

  test('stays where another disk is mounted in it', async () => {
    const folder = await hold('/');
    // Not on the disk of the root on any machine, and nothing of it could be removed.
    await expect(folder.removeTree('proc')).rejects.toMatchObject({ code: 'EXDEV' });
  });
});
