import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileSets, type FileSet } from '../../../src/core/files/file-sets.ts';
import { createCachedList, type Place } from '../../../src/core/files/file-walk.ts';
import { makeFolder, writeFiles } from '../../support/workspace.ts';

const places: readonly Place[] = [
  { path: 'one.txt', kind: 'file' },
  { path: 'deep', kind: 'deep' },
  { path: 'a/flat', kind: 'folder', ending: '.md' },
];
const now = { now: () => Date.now() };
const later = { now: () => Date.now() + 60_000 };
const read = createFileSets({ places, clock: now });
const shapeOf = ({ files, skipped, problems }: FileSet) => ({
  files: Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])),
  skipped: Object.fromEntries(skipped),
  problems: Object.fromEntries(problems),
});
const link = 'it is a link, and links are not followed here';
const odd = 'it is not a regular file';

test('files at the places are read, sorted, and nothing else', async () => {
  const root = makeFolder({
    'one.txt': '1',
    'two.txt': '2',
    'deep/z/y/x.txt': 'x',
    'deep/b.txt': 'b',
    'a/flat/m.md': 'm',
    'a/flat/m.txt': 'no',
    'a/flat/below/n.md': 'no',
  });
  const set = await read(root);
  expect([shapeOf(set), [...set.files.keys()]]).toEqual([
    {
      files: { 'one.txt': '1', 'deep/z/y/x.txt': 'x', 'deep/b.txt': 'b', 'a/flat/m.md': 'm' },
      skipped: {},
      problems: {},
    },
    ['a/flat/m.md', 'deep/b.txt', 'deep/z/y/x.txt', 'one.txt'],
  ]);
});

test('nothing there is an empty set, also when the root itself is missing', async () => {
  const empty = { files: {}, skipped: {}, problems: {} };
  expect([shapeOf(await read(makeFolder())), shapeOf(await read('/nowhere/at/all'))]).toEqual([empty, empty]);
});

describe('the hash', () => {
  const hashOf = async (files: Record<string, string>) => (await read(makeFolder(files))).hash;

  test('is the same for the same paths and contents', async () => {
    expect(await hashOf({ 'one.txt': '1', 'deep/a': 'a' })).toBe(
      await hashOf({ 'deep/a': 'a', 'one.txt': '1' }),
    );
  });

  test('differs with every content, path, boundary between files, and link', async () => {
    const linked = makeFolder({ 'deep/a': 'ab' });
    symlinkSync('/etc/hostname', join(linked, 'one.txt'));
    const hashes = [
      await hashOf({}),
      await hashOf({ 'deep/a': 'ab' }),
      await hashOf({ 'deep/a': 'a' }),
      await hashOf({ 'deep/a': 'ab', 'deep/b': '' }),
      await hashOf({ 'deep/a': 'a', 'deep/b': 'b' }),
      await hashOf({ 'deep/b': 'ab' }),
      await hashOf({ 'deep/a': 'ab', 'one.txt': '' }),
      (await read(linked)).hash,
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe('what is not a plain file in its place', () => {
  test('links are not followed: not to a file, not to a folder, not on the way, not dangling', async () => {
    const outside = makeFolder({ 'secret.md': 'secret', 'flat/s.md': 'secret' });
    const root = makeFolder({ 'deep/ok': 'ok' });
    symlinkSync(join(outside, 'secret.md'), join(root, 'one.txt'));
    symlinkSync(outside, join(root, 'deep/out'));
    symlinkSync('/nowhere', join(root, 'deep/dangling'));
    symlinkSync(outside, join(root, 'a'));
    expect(shapeOf(await read(root))).toEqual({
      files: { 'deep/ok': 'ok' },
      skipped: { 'one.txt': link, 'deep/out': link, 'deep/dangling': link, a: link },
      problems: {},
    });
  });

  test('links are followed where the options say so', async () => {
    const outside = makeFolder({ 'mine.txt': 'mine' });
    const root = makeFolder();
    symlinkSync(join(outside, 'mine.txt'), join(root, 'one.txt'));
    const follow = createFileSets({ places, clock: now, followLinks: true });
    expect(shapeOf(await follow(root))).toEqual({ files: { 'one.txt': 'mine' }, skipped: {}, problems: {} });
  });

  test('F8: a pipe does not hang, and a folder in the place of a file is passed by', async () => {
    const root = makeFolder();
    mkdirSync(join(root, 'deep'));
    const empty = await read(root);
    mkdirSync(join(root, 'one.txt'));
    // A sandbox leaves such folders: they change nothing, not even the hash.
    expect(await read(root)).toEqual(empty);
    execFileSync('mkfifo', [join(root, 'deep/pipe')]);
    expect(shapeOf(await read(root))).toEqual({ files: {}, skipped: { 'deep/pipe': odd }, problems: {} });
  });

  test('F8: a device behind a followed link is passed by', async () => {
    const root = makeFolder();
    symlinkSync('/dev/zero', join(root, 'one.txt'));
    const follow = createFileSets({ places, clock: now, followLinks: true });
    expect(shapeOf(await follow(root))).toEqual({ files: {}, skipped: { 'one.txt': odd }, problems: {} });
  });
});

describe('bounds', () => {
  test('a file of one byte too many is a problem, and the others are still read', async () => {
    const root = makeFolder({ 'one.txt': Buffer.alloc(1_048_577), 'deep/a': Buffer.alloc(1_048_576) });
    const set = await read(root);
    expect([[...set.files.keys()], Object.fromEntries(set.problems)]).toEqual([
      ['deep/a'],
      { 'one.txt': 'it is larger than 1048576 bytes' },
    ]);
  });

  test('together they may not exceed eight megabytes', async () => {
    const big = Buffer.alloc(1_048_576);
    const root = makeFolder(
      Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`deep/${index}`, big])),
    );
    const set = await read(root);
    expect([set.files.size, [...set.problems.keys()]]).toEqual([8, ['deep/8', 'deep/9']]);
  });

  test('a folder with too many files is one problem, and files elsewhere are still read', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_001 }, (_, index) => [`deep/${index % 3}/${index}`, '']),
    );
    const root = makeFolder({ ...many, 'one.txt': '1' });
    expect(shapeOf(await read(root))).toEqual({
      files: { 'one.txt': '1' },
      skipped: {},
      problems: { deep: 'it has more than 1000 files and folders' },
    });
  });

  test('a forest of empty folders ends too', async () => {
    const root = makeFolder();
    for (let index = 0; index < 1_200; index++) {
      mkdirSync(join(root, 'deep', String(index % 40), String(index)), { recursive: true });
    }
    expect([...(await read(root)).problems.keys()]).toEqual(['deep']);
  });

  test('folders below folders end at a depth', async () => {
    const root = makeFolder({ 'deep/2/3/4/5/6/7/8/file': 'in', 'deep/2/3/4/5/6/7/8/9/file': 'out' });
    expect(shapeOf(await read(root))).toEqual({
      files: { 'deep/2/3/4/5/6/7/8/file': 'in' },
      skipped: {},
      problems: { 'deep/2/3/4/5/6/7/8/9': 'it is nested deeper than 8 folders' },
    });
  });
});

describe('what was read is kept', () => {
  test('as the same object while nothing changes, and only when it is old enough to tell', async () => {
    const root = makeFolder({ 'one.txt': '1', 'deep/a': 'a' });
    const patient = createFileSets({ places, clock: later });
    const first = await patient(root);
    expect(await patient(root)).toBe(first);
    const fresh = await read(root);
    expect(await read(root)).not.toBe(fresh);
  });

  test('until a file is changed, even by one of the same size with its times set back', async () => {
    const root = makeFolder({ 'one.txt': 'good' });
    const patient = createFileSets({ places, clock: later });
    utimesSync(join(root, 'one.txt'), 1_000, 1_000);
    await patient(root);
    const changedAt = () => statSync(join(root, 'one.txt'), { bigint: true }).ctimeNs;
    const before = changedAt();
    // Until the file system's own clock has moved on.
    do {
      writeFileSync(join(root, 'one.txt'), 'evil');
      utimesSync(join(root, 'one.txt'), 1_000, 1_000);
    } while (changedAt() === before);
    expect(shapeOf(await patient(root)).files).toEqual({ 'one.txt': 'evil' });
  });

  test.each<[string, (root: string) => void]>([
    ['added', (root) => writeFiles(root, { 'deep/new': 'n' })],
    ['removed', (root) => rmSync(join(root, 'one.txt'))],
    ['renamed', (root) => renameSync(join(root, 'one.txt'), join(root, 'deep/one'))],
    [
      'replaced by a link',
      (root) => {
        rmSync(join(root, 'one.txt'));
        symlinkSync('deep/a', join(root, 'one.txt'));
      },
    ],
  ])('until a file is %s', async (_, change) => {
    const root = makeFolder({ 'one.txt': '1', 'deep/a': 'a' });
    const patient = createFileSets({ places, clock: later });
    const before = await patient(root);
    change(root);
    expect((await patient(root)).hash).not.toBe(before.hash);
  });
});

test('a folder to stay out of is not entered', async () => {
  const root = makeFolder({ 'deep/home/token': 'secret', 'deep/a': 'a' });
  expect(shapeOf(await read(root, join(root, 'deep/home'))).files).toEqual({ 'deep/a': 'a' });
});

describe('a folder whose list is kept', () => {
  const flat: readonly Place[] = [{ path: '', kind: 'folder', ending: '.md' }];
  const readKept = (clock: typeof now) =>
    createFileSets({ places: flat, list: createCachedList(clock), clock });
  const filesOf = async (set: Promise<FileSet>) => shapeOf(await set).files;

  test('is listed again when a file was added, renamed or removed', async () => {
    const root = makeFolder({ 'a.md': 'a', 'b.md': 'b' });
    const kept = readKept(later);
    expect(await filesOf(kept(root))).toEqual({ 'a.md': 'a', 'b.md': 'b' });
    writeFiles(root, { 'c.md': 'c' });
    expect(await filesOf(kept(root))).toEqual({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
    renameSync(join(root, 'b.md'), join(root, 'd.md'));
    expect(await filesOf(kept(root))).toEqual({ 'a.md': 'a', 'c.md': 'c', 'd.md': 'b' });
    rmSync(join(root, 'a.md'));
    expect(await filesOf(kept(root))).toEqual({ 'c.md': 'c', 'd.md': 'b' });
  });

  test('shows what was written into a file, which leaves the folder as it was', async () => {
    const root = makeFolder({ 'a.md': 'a' });
    const kept = readKept(later);
    await kept(root);
    writeFileSync(join(root, 'a.md'), 'another');
    expect(await filesOf(kept(root))).toEqual({ 'a.md': 'another' });
  });

  test('is kept only when its last change is a while ago', () => {
    const root = makeFolder({ 'a.md': 'a' });
    const stats = statSync(root, { bigint: true });
    const [fresh, settled] = [createCachedList(now), createCachedList(later)];
    const [first, second] = [fresh(root, stats), settled(root, stats)];
    expect([fresh(root, stats) === first, settled(root, stats) === second]).toEqual([false, true]);
  });
});
