// One entry of the operator's log as data: without secrets, without bulk, and in one line that nobody can forge or drive
// a terminal with. Pure. Whatever it is given, it never throws.

import { toJsonSafe } from '../lib/to-json-safe.ts';
import type { LogLevel } from './log-level.ts';
import type { Redact } from './redact.ts';

/** Of one text; the rest is counted. */
const maxTextLength = 4_000;
/** Of one line. */
const maxLineLength = 64 * 1024;

export interface LogEntry {
  time: string;
  level: LogLevel;
  message: string;
  [field: string]: unknown;
}

const own = new Set(['time', 'level', 'message']);

export function toLogEntry(
  record: { time: string; level: LogLevel; message: string; data?: Record<string, unknown> | undefined },
  redact: Redact,
): LogEntry {
  const { time, level, message, data } = record;
  const fields = Object.entries(toRecord(shorten(redact(toJsonSafe(data ?? {})))));
  return {
    time,
    level,
    message: String(shorten(redact(toJsonSafe(message)))),
    // No field may pass for what the log itself says.
    ...Object.fromEntries(fields.map(([name, value]) => [own.has(name) ? `_${name}` : name, value])),
  };
}

/** JSON with every hidden character escaped, and a line break at its end alone. */
export function toLogLine(entry: LogEntry): string {
  const { time, level, message } = entry;
  const line = JSON.stringify(entry);
  const note = `${line.length} characters of details omitted`;
  const shown = line.length <= maxLineLength ? line : JSON.stringify({ time, level, message, note });
  return `${escapeHidden(shown)}\n`;
}

/** Beyond what JSON escapes itself: what drives a terminal, turns text around, or draws nothing. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function escapeHidden(json: string): string {
  return json.replace(hidden, (char) =>
    Array.from({ length: char.length }, (_, index) => {
      return `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cut(key), shorten(each)]));
}

function cut(text: string): string {
  if (text.length <= maxTextLength) return text;
  const kept = text.slice(0, maxTextLength).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… [${text.length - kept.length} more characters]`;
}

function toRecord(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { data: value };
}
