// Reads attached images and files. They are checked here so that the error names the path.
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type FilePart,
  findFileType,
  findImageType,
  type ImagePart,
  largestFile,
  largestImage,
  ToolyardError,
  toMegabytes,
} from '@toolyard/sdk';
import { toPath } from '../command-line/values.ts';

/** `--image` takes images; `--file` takes every supported type. */
export async function readAttachments(
  { image = [], file = [] }: Readonly<Record<string, readonly string[]>>,
  env: NodeJS.ProcessEnv,
): Promise<(ImagePart | FilePart)[]> {
  const images = image.map((path) => readImage(toPath(path, env)));
  return Promise.all([...images, ...file.map((path) => readAny(toPath(path, env)))]);
}

async function readImage(path: string): Promise<ImagePart> {
  const data = await readBase64('--image', path, largestImage);
  const image = toImage(data);
  if (image) return image;
  const kinds = 'is not a PNG, JPEG, GIF or WebP image.';
  throw new ToolyardError('usage', `--image: ${basename(path)} ${kinds} Send text or a PDF with --file.`);
}

async function readAny(path: string): Promise<ImagePart | FilePart> {
  const data = await readBase64('--file', path, largestFile);
  const name = basename(path)
    .replace(/[\p{Cc}\p{Cs}"/\\]/gu, '_')
    .slice(0, 200);
  if (data === '') throw new ToolyardError('usage', `--file: ${name} is empty. Send a file with content.`);
  const image = toImage(data);
  if (image) return image;
  const mediaType = findFileType(data);
  if (mediaType) return { type: 'file', name, mediaType, data };
  const kinds = 'is not UTF-8 text, a PDF or an image.';
  throw new ToolyardError('usage', `--file: ${name} ${kinds} Convert it to one of these.`);
}

function toImage(data: string): ImagePart | undefined {
  const mediaType = findImageType(data);
  return mediaType && { type: 'image', mediaType, data };
}

async function readBase64(option: string, path: string, maxBytes: number): Promise<string> {
  const refuse = (why: string) => new ToolyardError('usage', `${option}: ${path} ${why}`);
  const file = await open(path).catch((thrown: NodeJS.ErrnoException) => {
    throw refuse(`cannot be read (${thrown.code}).`);
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refuse('is not a file.');
    if (found.size > maxBytes)
      throw refuse(`has ${toMegabytes(found.size)}. Send a file of at most ${toMegabytes(maxBytes)}.`);
    return (await file.readFile()).toString('base64');
  } finally {
    await file.close();
  }
}
