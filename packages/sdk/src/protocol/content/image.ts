// What can be known of an image from its base64 without decoding all of it: its kind, its size, that it is base64.
import { toByteCount, toSizeLabel } from './base64.ts';

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

/** Bytes of one image. Providers take no larger ones. */
export const largestImage = 5 * 1024 * 1024;

/** How files of each kind begin, one character for a byte. */
const beginsAs: Record<ImageType, (start: string) => boolean> = {
  'image/png': (start) => start.startsWith('\x89PNG\r\n\x1a\n'),
  'image/jpeg': (start) => start.startsWith('\xff\xd8\xff'),
  'image/gif': (start) => start.startsWith('GIF87a') || start.startsWith('GIF89a'),
  'image/webp': (start) => start.startsWith('RIFF') && start.startsWith('WEBP', 8),
};

/** The kind of an image by its first bytes, whatever it is called. */
export function findImageType(base64: string): ImageType | undefined {
  const start = base64.slice(0, 16);
  if (toByteCount(start) === undefined) return undefined;
  const bytes = atob(start);
  return imageTypes.find((type) => beginsAs[type](bytes));
}

/** `[image, 12 kB png]` */
export function toImageLabel(mediaType: string, bytes: number): string {
  return `[image, ${toSizeLabel(bytes)} ${mediaType.replace('image/', '')}]`;
}
