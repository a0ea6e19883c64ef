// Images and files beside a person's words, as a script is told of them.
import { readFileName, toByteCount, toFileLabel, toFileText, toImageLabel, toSizeLabel } from '@toolyard/sdk';
import type { DocumentBlock, ImageBlock } from './message.ts';
import type { PlacedBlock } from './turns.ts';

export function toImageLabels(block: PlacedBlock): string[] {
  if (block.type !== 'image') return [];
  const { source } = block;
  return [
    source.type === 'base64' ? toImageLabel(source.media_type, toByteCount(source.data) ?? 0) : '[image]',
  ];
}

/** A file of text comes as words between marks, a PDF as a document. */
export function toFileLabels(block: PlacedBlock): string[] {
  if (block.type === 'document') return [toDocumentLabel(block)];
  const name = block.type === 'text' ? readFileName(block.text) : undefined;
  if (block.type !== 'text' || name === undefined) return [];
  const marks = toFileText({ name, mediaType: '', data: '' });
  return [`[file ${name}, ${toSizeLabel(Buffer.byteLength(block.text) - Buffer.byteLength(marks))}]`];
}

function toDocumentLabel({ title, source }: DocumentBlock): string {
  const name = title ?? 'document';
  if (source.type !== 'base64') return `[file ${name}]`;
  return toFileLabel({ name, mediaType: source.media_type, data: source.data });
}

/** What makes it another than the one before. */
export function attachedContentOf({ source }: ImageBlock | DocumentBlock): string {
  if (source.type === 'url') return source.url;
  if (source.type === 'file') return source.file_id;
  return source.type === 'content' ? '' : source.data;
}
