// Files in a message: a PDF goes to the model as it is, text as words with the file's name. What is neither is none.
import { readBase64Text, toByteCount, toSizeLabel } from './base64.ts';

export const pdfType = 'application/pdf';

/** Bytes of one file. */
export const largestFile = 5 * 1024 * 1024;

/** A PDF, or text of some kind. */
export function isFileType(mediaType: string): boolean {
  return /^(application\/(pdf|json)|text\/[a-z0-9][a-z0-9.+-]{0,60})$/.test(mediaType);
}

/** What a file is by its bytes, whatever it is called. Its base64 must be right. */
export function findFileType(base64: string): typeof pdfType | 'text/plain' | undefined {
  if (atob(base64.slice(0, 8)).startsWith('%PDF-')) return pdfType;
  return readBase64Text(base64) === undefined ? undefined : 'text/plain';
}

export interface NamedFile {
  name: string;
  mediaType: string;
  /** Base64. */
  data: string;
}

/** `[file notes.md, 12 kB]`, `[file report.pdf, 1.2 MB pdf]` */
export function toFileLabel({ name, mediaType, data }: NamedFile): string {
  const kind = mediaType === pdfType ? ' pdf' : '';
  return `[file ${name}, ${toSizeLabel(toByteCount(data) ?? 0)}${kind}]`;
}

/** A file of text as a model reads it. */
export function toFileText({ name, data }: NamedFile): string {
  return `<file name="${name}">\n${readBase64Text(data) ?? ''}\n</file>`;
}

/** The name of the file that a text was made of by `toFileText`; nothing when it was not. */
export function readFileName(text: string): string | undefined {
  return text.endsWith('\n</file>') ? /^<file name="([^"\n]+)">\n/.exec(text)?.[1] : undefined;
}
