// Images and files that `run` cannot send: each is refused by its path, before anything is started.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/yard.ts';
import { startCommand } from '../in-process.ts';

const tooLarge = 5 * 1024 * 1024 + 1;

/** Runs it in a directory with these files, and sees that no home has come into being. */
async function refuse(option: string, file: string, files: Record<string, Uint8Array | string>) {
  const root = await temporaryDirectory();
  const work = join(root, 'work');
  await mkdir(work);
  for (const [name, content] of Object.entries(files)) await writeFile(join(work, name), content);
  const env = { TOOLYARD_HOME: join(root, 'home'), INIT_CWD: work, NO_COLOR: '1' };
  const finished = await startCommand(['run', option, file, 'look'], env).finished;
  return { ...finished, made: await readdir(root) };
}

const refused = (sentence: RegExp) => ({
  code: 2,
  stdout: '',
  stderr: expect.stringMatching(sentence),
  made: ['work'],
});

describe('run --image', () => {
  const files = { 'text.png': 'words', 'large.png': Buffer.alloc(tooLarge) };

  it.each([
    ['missing.png', /^error: --image: \S+missing\.png cannot be read \(ENOENT\)\.\n$/],
    ['.', /^error: --image: \S+ is not a file\.\n$/],
    [
      'text.png',
      /^error: --image: text\.png is not a PNG, JPEG, GIF or WebP image\. Send text or a PDF with --file\.\n$/,
    ],
    ['large.png', /^error: --image: \S+large\.png has 5\.1 MB\. Send a file of at most 5 MB\.\n$/],
  ])('refuses %s before anything is started', async (file, sentence) => {
    expect(await refuse('--image', file, files)).toEqual(refused(sentence));
  });
});

describe('run --file', () => {
  const files = {
    'empty.txt': '',
    zip: Buffer.from([0x50, 0x4b, 3, 4, 0, 0]),
    'large.txt': Buffer.alloc(tooLarge, 'x'),
  };

  it.each([
    ['missing.txt', /^error: --file: \S+missing\.txt cannot be read \(ENOENT\)\.\n$/],
    ['empty.txt', /^error: --file: empty\.txt is empty\. Send a file with content\.\n$/],
    ['zip', /^error: --file: zip is not UTF-8 text, a PDF or an image\. Convert it to one of these\.\n$/],
    ['large.txt', /^error: --file: \S+large\.txt has 5\.1 MB\. Send a file of at most 5 MB\.\n$/],
  ])('refuses %s before anything is started', async (file, sentence) => {
    expect(await refuse('--file', file, files)).toEqual(refused(sentence));
  });
});
