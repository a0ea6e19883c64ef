// Images from a person's disk, checked here so that a wrong one is named by its file.
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { findImageType, type ImagePart, largestImage, ToolyardError, toMegabytes } from '@toolyard/sdk';
import { toPath } from './values.ts';

export function readImages(files: readonly string[], env: NodeJS.ProcessEnv): Promise<ImagePart[]> {
  return Promise.all(files.map((file) => readImage(toPath(file, env))));
}

async function readImage(path: string): Promise<ImagePart> {
  const bytes = await readBytes(path);
  const data = bytes.toString('base64');
  const mediaType = findImageType(data);
  if (mediaType) return { type: 'image', mediaType, data };
  throw new ToolyardError('usage', `--image: ${basename(path)} is no PNG, JPEG, GIF or WebP.`);
}

async function readBytes(path: string): Promise<Buffer> {
  const refuse = (why: string) => new ToolyardError('usage', `--image: ${path} ${why}`);
  const file = await open(path).catch((thrown: NodeJS.ErrnoException) => {
    throw refuse(`cannot be read (${thrown.code}).`);
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refuse('is not a file.');
    if (found.size > largestImage)
      throw refuse(`has ${toMegabytes(found.size)}; send one of at most ${toMegabytes(largestImage)}.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
