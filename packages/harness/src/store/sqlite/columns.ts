// How values become columns and come back unchanged. A column that no longer reads back is reported, never guessed.
import { crc32 } from 'node:zlib';
import { ToolyardError } from '@toolyard/sdk';
import { corruptRow } from './sqlite-errors.ts';

/** JSON keeps every JavaScript string, half surrogate pairs included, because it escapes them. */
export function toJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new ToolyardError('internal', 'Only JSON values can be stored.');
  return text;
}

export function toOptionalJson(value: unknown): string | null {
  return value === undefined ? null : toJson(value);
}

/** `row` names the row for the person who reads the error. */
export function fromJson<T>(text: string, row: string): T {
  try {
    // The store wrote this text itself, from a value of this type.
    return JSON.parse(text) as T;
  } catch {
    throw corruptRow(row, 'cannot be read');
  }
}

/**
 * Free text as it is, unless a database would change it (a NUL, half a surrogate pair) or it would look encoded:
 * then as a JSON string. Equal texts stay equal, so that keys still work.
 */
export function toColumn(text: string): string {
  const plain = text.isWellFormed() && !text.includes('\0') && !text.startsWith('"');
  return plain ? text : JSON.stringify(text);
}

export function fromColumn(column: string): string {
  return column.startsWith('"') ? fromJson<string>(column, 'a text column') : column;
}

/** Guards a row that is written once: SQLite itself does not notice a changed byte inside a text. */
export function toChecksum(key: string, text: string): number {
  return crc32(text, crc32(key));
}
