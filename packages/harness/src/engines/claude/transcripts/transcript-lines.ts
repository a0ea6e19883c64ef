// Reads a transcript line by line in bounded memory. What is no line of text (zeros, a line without end) comes out with
// where it lies and how long it is; nothing is passed over in silence.
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

/** Longer lines are not kept. */
export const maxLineBytes = 16 * 2 ** 20;
const chunkBytes = 256 * 1024;
const newline = 0x0a;

export interface Line {
  /** Of its first byte in the file. */
  offset: number;
  /** In bytes, without the line break. */
  length: number;
  /** Whether a line break follows: the last one may still be being written. */
  isEnded: boolean;
  /** Absent when there is nothing to read in it. */
  text?: string;
  fault?: 'zeros' | 'too long' | 'not text';
}

export interface LineRange {
  from: number;
  /** The end of the file as it was when the reading began. */
  to: number;
  signal: AbortSignal;
}

/** Batches of lines, each of about a chunk. Empty lines are left out. */
export async function* readLines(
  file: FileHandle,
  { from, to, signal }: LineRange,
): AsyncGenerator<{ lines: Line[]; next: number }> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const line = createLine(from);
  for (let position = from; position < to && !signal.aborted; ) {
    const wanted = Math.min(chunkBytes, to - position);
    const { bytesRead } = await file.read(chunk, 0, wanted, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const lines = splitChunk(line, chunk.subarray(0, bytesRead));
    if (lines.length > 0) yield { lines, next: line.offset() };
  }
  const rest = line.end({ isEnded: false });
  if (rest.length > 0 && !signal.aborted) yield { lines: rest, next: line.offset() };
}

function splitChunk(line: PartialLine, chunk: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < chunk.length; ) {
    const end = chunk.indexOf(newline, start);
    line.add(chunk.subarray(start, end === -1 ? chunk.length : end));
    if (end === -1) break;
    lines.push(...line.end({ isEnded: true }));
    start = end + 1;
  }
  return lines;
}

type PartialLine = ReturnType<typeof createLine>;

/** The line being read, over as many chunks as it takes. */
function createLine(from: number) {
  let offset = from;
  /** Zeros before the first other byte: what a disk leaves of a file after the power went. */
  let zeros = 0;
  let parts: Buffer[] = [];
  let length = 0;

  return {
    /** Where the line begins. */
    offset: () => offset,
    add(bytes: Buffer): void {
      const skipped = length === 0 ? countZeros(bytes) : 0;
      zeros += skipped;
      length += bytes.length - skipped;
      // A chunk is used again for the next one, so what is kept of it is a copy.
      if (length <= maxLineBytes) parts.push(Buffer.from(bytes.subarray(skipped)));
      else parts = [];
    },
    /** What there is of the line; the next one begins after it. */
    end({ isEnded }: { isEnded: boolean }): Line[] {
      const lines: Line[] = [];
      if (zeros > 0) lines.push({ offset, length: zeros, isEnded: isEnded || length > 0, fault: 'zeros' });
      if (length > 0) lines.push({ offset: offset + zeros, length, isEnded, ...toText(parts, length) });
      // An unfinished line is read again from its start, once there is more of it.
      if (isEnded) offset += zeros + length + 1;
      zeros = 0;
      length = 0;
      parts = [];
      return lines;
    },
  };
}

function toText(parts: readonly Buffer[], length: number): Pick<Line, 'text' | 'fault'> {
  if (length > maxLineBytes) return { fault: 'too long' };
  const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length);
  const text = bytes.toString('utf8');
  return isUtf8(bytes) ? { text } : { text, fault: 'not text' };
}

function countZeros(bytes: Buffer): number {
  let count = 0;
  while (count < bytes.length && bytes[count] === 0) count++;
  return count;
}
