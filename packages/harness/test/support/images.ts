// Images for tests: bytes that begin as a PNG does, and one that is a real picture.
import type { ImagePart } from '@toolyard/sdk';

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
