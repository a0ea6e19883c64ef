// Images and files for tests: bytes that begin as their kind does, and a picture that is a real one.
import type { FilePart, ImagePart } from '@toolyard/sdk';

/** So many bytes, the rest zeros. */
export function png(bytes: number): ImagePart {
  const data = Buffer.alloc(bytes);
  data.write('\x89PNG\r\n\x1a\n', 'latin1');
  return { type: 'image', mediaType: 'image/png', data: data.toString('base64') };
}

/** One pixel that every viewer can show. */
export const pixel: ImagePart = {
  type: 'image',
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};

/** Bytes that begin as each kind does. */
export function image(mediaType: ImagePart['mediaType']): ImagePart {
  const starts = {
    'image/png': '\x89PNG\r\n\x1a\n',
    'image/jpeg': '\xff\xd8\xff\xe0\x00\x10JFIF',
    'image/gif': 'GIF89a',
    'image/webp': 'RIFF\x24\x00\x00\x00WEBPVP8 ',
  };
  const data = Buffer.concat([Buffer.from(starts[mediaType], 'latin1'), Buffer.alloc(60)]);
  return { type: 'image', mediaType, data: data.toString('base64') };
}

/** So many bytes that begin as a PDF does. */
export function pdf(bytes = 2_000, name = 'report.pdf'): FilePart {
  const data = Buffer.alloc(bytes, ' ');
  data.write('%PDF-1.7\n');
  return { type: 'file', name, mediaType: 'application/pdf', data: data.toString('base64') };
}

export function textFile(text: string, name = 'notes.md', mediaType = 'text/markdown'): FilePart {
  return { type: 'file', name, mediaType, data: Buffer.from(text).toString('base64') };
}
