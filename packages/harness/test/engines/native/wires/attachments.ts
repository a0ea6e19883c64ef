// Images and files as the providers' services take them: what they are is checked as strictly as there, and told to the
// scenario in the one form that it knows.
import { findFileType, findImageType, imageTypes, pdfType, toByteCount } from '@toolyard/sdk';
import { z } from 'zod';

/** `data:image/png;base64,…` that is what it says; anything else is refused. */
export const ImageUrl = z.string().refine((url) => {
  const { mediaType, data } = splitDataUrl(url);
  return isImage(mediaType, data);
}, 'The image data you provided does not represent a valid image.');

export const PdfUrl = z.string().refine((url) => {
  const { mediaType, data } = splitDataUrl(url);
  return isPdf(mediaType, data);
}, 'The file data you provided does not represent a valid PDF.');

export const FileName = z.string().min(1).max(255);

export function isImage(mediaType: string, data: string): boolean {
  return imageTypes.some((type) => type === mediaType) && findImageType(data) === mediaType;
}

export function isPdf(mediaType: string, data: string): boolean {
  return mediaType === pdfType && toByteCount(data) !== undefined && findFileType(data) === pdfType;
}

export function splitDataUrl(url: string): { mediaType: string; data: string } {
  const [, mediaType = '', data = ''] = /^data:([a-z]+\/[a-z]+);base64,(.*)$/s.exec(url) ?? [];
  return { mediaType, data };
}

export function toImageBlock(url: string): Record<string, unknown> {
  const { mediaType, data } = splitDataUrl(url);
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

export function toDocumentBlock(title: string | undefined, data: string): Record<string, unknown> {
  return {
    type: 'document',
    ...(title !== undefined && { title }),
    source: { type: 'base64', media_type: pdfType, data },
  };
}
