// Lines of a transcript: where each begins, and what is no line at all, in bounded memory.
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Line,
  maxLineBytes,
  readLines,
} from '../../../../src/engines/claude/transcripts/transcript-lines.ts';
import { temporaryDirectory } from '../../../support/yard.ts';

async function read(content: string | Uint8Array, from = 0): Promise<{ lines: Line[]; next: number }> {
  const path = join(await temporaryDirectory(), 'file');
  writeFileSync(path, content);
  await using file = await open(path);
  const range = { from, to: (await file.stat()).size, signal: new AbortController().signal };
  const batches = await Array.fromAsync(readLines(file, range));
  return { lines: batches.flatMap(({ lines }) => lines), next: batches.at(-1)?.next ?? from };
}

const ended = { isEnded: true };

describe('lines', () => {
  it('come with their place, without empty ones', async () => {
    expect(await read('one\n\nzwölf\n')).toEqual({
      lines: [
        { offset: 0, length: 3, text: 'one', ...ended },
        { offset: 5, length: 6, text: 'zwölf', ...ended },
      ],
      next: 12,
    });
    expect(await read('one\n\nzwölf\n', 5)).toEqual({
      lines: [{ offset: 5, length: 6, text: 'zwölf', ...ended }],
      next: 12,
    });
    expect(await read('')).toEqual({ lines: [], next: 0 });
  });

  it('that span many chunks are whole', async () => {
    const long = 'ü'.repeat(400_000);
    const { lines } = await read(`a\n${long}\nb\n${long}`);
    expect(lines.map(({ offset, length }) => [offset, length])).toEqual([
      [0, 1],
      [2, 800_000],
      [800_003, 1],
      [800_005, 800_000],
    ]);
    expect(lines.map(({ text }) => text === long)).toEqual([false, true, false, true]);
  });

  it('without an end are given as such and read again from their start', async () => {
    expect(await read('one\ntw')).toEqual({
      lines: [
        { offset: 0, length: 3, text: 'one', ...ended },
        { offset: 4, length: 2, text: 'tw', isEnded: false },
      ],
      next: 4,
    });
  });

  it('of zeros are told apart from what follows them', async () => {
    const zeros = '\0'.repeat(300_000);
    expect(await read(`one\n${zeros}two\n${zeros}\n${zeros}`)).toEqual({
      lines: [
        { offset: 0, length: 3, text: 'one', ...ended },
        { offset: 4, length: 300_000, fault: 'zeros', ...ended },
        { offset: 300_004, length: 3, text: 'two', ...ended },
        { offset: 300_008, length: 300_000, fault: 'zeros', ...ended },
        { offset: 600_009, length: 300_000, fault: 'zeros', isEnded: false },
      ],
      next: 600_009,
    });
  });

  it('that are no UTF-8 say so', async () => {
    const { lines } = await read(Buffer.from([0x61, 0xff, 0x62, 0x0a]));
    expect(lines).toEqual([{ offset: 0, length: 3, text: 'a�b', fault: 'not text', ...ended }]);
  });

  it('are kept up to the longest, and beyond it only measured', async () => {
    const longest = Buffer.alloc(maxLineBytes, 'x');
    const { lines, next } = await read(
      Buffer.concat([longest, Buffer.from('\n'), longest, Buffer.from('y\nz\n')]),
    );
    expect(lines.map(({ text, ...rest }) => ({ ...rest, chars: text?.length }))).toEqual([
      { offset: 0, length: maxLineBytes, chars: maxLineBytes, ...ended },
      { offset: maxLineBytes + 1, length: maxLineBytes + 1, fault: 'too long', ...ended },
      { offset: 2 * maxLineBytes + 3, length: 1, chars: 1, ...ended },
    ]);
    expect(next).toBe(2 * maxLineBytes + 5);
  });
});
