// The file of a trace: whole lines, for its owner's eyes only, up to a size.
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Adds the lines that fit and, after the last one that did, a word that there was more. Says whether it is full. */
export async function appendLines(
  path: string,
  lines: readonly string[],
  maxBytes: number,
): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, flags, 0o600);
  try {
    let { size } = await file.stat();
    if (size >= maxBytes) return true;
    const fitting = lines.filter((line) => {
      size += Buffer.byteLength(line);
      return size <= maxBytes;
    });
    const isFull = fitting.length < lines.length;
    const note = JSON.stringify({ note: `the trace ends here: it has reached ${maxBytes} bytes` });
    await file.writeFile(fitting.join('') + (isFull ? `${note}\n` : ''));
    return isFull;
  } finally {
    await file.close();
  }
}
