// A file of this computer as a part of a message, known by its bytes and not by its name. What is none says why.
import {
  type FilePart,
  findFileType,
  findImageType,
  type ImagePart,
  largestFile,
  largestImage,
  toMegabytes,
} from '@toolyard/sdk';

const maxBytes = Math.max(largestFile, largestImage);

export async function readAttachment(file: File): Promise<ImagePart | FilePart | string> {
  const name = file.name || 'What you pasted';
  if (file.size === 0) return `${name} is empty.`;
  if (file.size > maxBytes) return formatTooLarge(name, file.size, maxBytes);
  const data = await toBase64(file).catch(() => undefined);
  if (data === undefined) return `${name} could not be read.`;
  const imageType = findImageType(data);
  if (imageType) {
    if (file.size > largestImage) return formatTooLarge(name, file.size, largestImage);
    return { type: 'image', mediaType: imageType, data };
  }
  const fileType = findFileType(data);
  if (!fileType) return `${name} is no image (png, jpeg, gif, webp), no PDF and no text in UTF-8.`;
  if (file.size > largestFile) return formatTooLarge(name, file.size, largestFile);
  return { type: 'file', name: toFileName(name), mediaType: fileType, data };
}

function formatTooLarge(name: string, bytes: number, max: number): string {
  return `${name} has ${toMegabytes(bytes)}; send one of at most ${toMegabytes(max)}.`;
}

/** What a message allows in a name. */
function toFileName(name: string): string {
  const cleaned = name.replace(/[\p{Cc}\p{Cs}"/\\]/gu, '_').slice(-200);
  return cleaned || 'file';
}

async function toBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 32_768) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)));
  }
  return btoa(pieces.join(''));
}
