// What can be known of an image from its base64 without decoding all of it: its kind, its size, that it is base64.

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

/** How many bytes a base64 text stands for; nothing when it is none. */
export function toByteCount(base64: string): number | undefined {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  // Looks for one wrong character: an expression that describes the whole text would overflow on a long one.
  const isBase64 =
    base64.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(base64.slice(0, base64.length - padding));
  return isBase64 ? (base64.length / 4) * 3 - padding : undefined;
}

/** The kind of an image by its first bytes, whatever it is called. */
export function findImageType(base64: string): ImageType | undefined {
  const start = base64.slice(0, 16);
  if (toByteCount(start) === undefined) return undefined;
  const bytes = atob(start);
  return imageTypes.find((type) => beginsAs[type](bytes));
}

/** `[image, 12 kB png]` */
export function toImageLabel(mediaType: string, bytes: number): string {
  const size =
    bytes < 1_000_000
      ? `${Math.max(1, Math.round(bytes / 1_000))} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `[image, ${size} ${mediaType.replace('image/', '')}]`;
}

/** Rounded up, so that what is too large also looks it. */
export function toMegabytes(bytes: number): string {
  return `${Math.ceil((bytes / 1_048_576) * 10) / 10} MB`;
}
