// Formats an entry of the server's log as one line for a terminal, with control characters escaped.
import type { LogEntry } from '../../app/logs.ts';
import { cut, type TextWriter, toLine } from './terminal.ts';

const marks = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' } as const;
const maxValueLength = 300;

export function toLogText(entry: LogEntry, writer: TextWriter): string {
  const { time, level, message, ...fields } = entry;
  const details = Object.entries(fields).map(([name, value]) => `${toLine(name)}=${toValue(value)}`);
  const words = [
    writer.paint('dim', toClock(time)),
    writer.paint(marks[level], level.padEnd(5)),
    toLine(message),
    writer.paint('dim', details.join(' ')),
  ];
  return words.join(' ').trimEnd();
}

/** In the reader's own time zone. */
function toClock(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function toValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (toErrorText(value) ?? JSON.stringify(value));
  const line = cut(toLine(text), maxValueLength);
  return /[\s="]/.test(line) || line === '' ? JSON.stringify(line) : line;
}

/** The messages of an error and its causes. The stack is in the log file. */
function toErrorText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('message' in value) || !('name' in value))
    return undefined;
  const below = 'cause' in value ? toErrorText(value.cause) : undefined;
  return `${value.message}${below ? ` ← ${below}` : ''}`;
}
