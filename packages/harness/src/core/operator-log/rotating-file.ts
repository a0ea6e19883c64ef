// The file that the operator's log grows in, and its turning over: toolyard.log becomes toolyard.1.log, that one
// toolyard.2.log, and the oldest goes. A kill between two of these steps loses nothing.
import type { LogDisk, OpenLog } from './log-disk.ts';

export interface LogBounds {
  /** Bytes of one file. A single line is never cut for it. */
  maxBytes: number;
  /** How many there are, the growing one among them. */
  files: number;
}

export const defaultLogBounds: LogBounds = { maxBytes: 8 * 1024 * 1024, files: 6 };

const stem = 'toolyard';

/** `toolyard.log` is number 0. */
export function toLogName(number: number): string {
  return number === 0 ? `${stem}.log` : `${stem}.${number}.log`;
}

export interface RotatingFile {
  /** Writes whole lines and says how many; at least one, or it rejects and has written nothing. */
  append(lines: readonly Uint8Array[]): Promise<number>;
  close(): Promise<void>;
}

export function createRotatingFile({
  disk,
  maxBytes = defaultLogBounds.maxBytes,
  files = defaultLogBounds.files,
}: { disk: LogDisk } & Partial<LogBounds>): RotatingFile {
  let open: OpenLog | undefined;
  let size = 0;
  let isClosed = false;

  async function close(): Promise<void> {
    const closed = open;
    open = undefined;
    await closed?.close().catch(() => {});
  }

  async function reopen(): Promise<OpenLog> {
    open = await disk.open(toLogName(0));
    size = open.size;
    // What a kill has cut off stays one broken line, and takes no other along.
    if (open.torn) size += await open.write(new TextEncoder().encode('\n'));
    return open;
  }

  async function openFor(bytes: number): Promise<OpenLog> {
    if (open && !(await open.isThere())) await close();
    const file = open ?? (await reopen());
    if (size === 0 || size + bytes <= maxBytes) return file;
    await close();
    await rotate(disk, files);
    return reopen();
  }

  return {
    async append(lines) {
      const [first] = lines;
      if (!first) return 0;
      if (isClosed) throw new Error('The log is closed.');
      try {
        const file = await openFor(first.length);
        const fitting = toFitting(lines, maxBytes - size);
        const { written, cause } = await writeAll(file, Buffer.concat(fitting));
        const whole = toWholeLines(fitting, written);
        // A line that only half fits on the disk is taken back and comes again as a whole.
        if (whole.bytes < written) await file.truncate(size + whole.bytes);
        size += whole.bytes;
        if (whole.count === 0) throw cause;
        return whole.count;
      } catch (thrown) {
        // The next try looks at the file as it is.
        await close();
        throw thrown;
      } finally {
        // Whoever closed it did not wait for a slow disk.
        if (isClosed) await close();
      }
    },
    close() {
      isClosed = true;
      return close();
    },
  };
}

/** Those that the file has room for, at least one. */
function toFitting(lines: readonly Uint8Array[], room: number): Uint8Array[] {
  let bytes = 0;
  const end = lines.findIndex(({ length }, index) => {
    bytes += length;
    return bytes > room && index > 0;
  });
  return lines.slice(0, end === -1 ? lines.length : end);
}

async function writeAll(file: OpenLog, bytes: Uint8Array): Promise<{ written: number; cause?: unknown }> {
  let written = 0;
  try {
    while (written < bytes.length) {
      const taken = await file.write(bytes.subarray(written));
      if (taken === 0) throw new Error('the disk accepts no writes');
      written += taken;
    }
    return { written };
  } catch (cause) {
    return { written, cause };
  }
}

function toWholeLines(lines: readonly Uint8Array[], written: number): { count: number; bytes: number } {
  let bytes = 0;
  let count = 0;
  for (const { length } of lines) {
    if (bytes + length > written) break;
    bytes += length;
    count += 1;
  }
  return { count, bytes };
}

/** From the oldest to the newest, up to the first number that is free: so nothing is lost if it is cut off in between. */
async function rotate(disk: LogDisk, files: number): Promise<void> {
  const names = new Set(await disk.list());
  const numbers = Array.from({ length: files }, (_, number) => number);
  const free = numbers.find((number) => !names.has(toLogName(number))) ?? files - 1;
  for (let number = free; number > 0; number--) {
    await disk.rename(toLogName(number - 1), toLogName(number));
  }
  // Fewer files are wanted than there once were.
  for (const name of names) {
    const number = Number(/^toolyard\.(\d{1,6})\.log$/.exec(name)?.[1] ?? 0);
    if (number >= files) await disk.remove(name);
  }
}
