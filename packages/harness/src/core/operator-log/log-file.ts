// The operator's log on disk: whole lines in files that turn over by size, a fixed number of them. Nobody who logs ever
// waits for it: what a slow or full disk cannot take is dropped, counted, and the count is logged once it can.
import { pause } from '@toolyard/sdk';
import type { LogDisk } from './log-disk.ts';
import { createRotatingFile, type LogBounds } from './rotating-file.ts';

export interface LogFile {
  /** Takes a line that ends in a line break. Never waits, never throws. */
  write(line: string): void;
  /** Resolves when all that was taken is written, or after a second if the disk does not take it. */
  close(): Promise<void>;
}

export interface LogFileOptions extends Partial<LogBounds> {
  disk: LogDisk;
  /** The line that says how much is missing. */
  toDropNote(count: number): string;
  /** Called once whenever the disk begins to refuse, with the reason. */
  onError?(cause: unknown): void;
  /** For tests: less patience, less memory. */
  retryDelayMs?: number;
  pendingBytes?: number;
}

/** Bytes that may wait for the disk. */
const defaultPendingBytes = 1024 * 1024;
const batchBytes = 256 * 1024;
const closeTimeoutMs = 1_000;

export function createLogFile(options: LogFileOptions): LogFile {
  const { toDropNote, onError, retryDelayMs = 1_000, pendingBytes = defaultPendingBytes } = options;
  const file = createRotatingFile(options);
  const closing = new AbortController();
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let inTrouble = false;
  let draining: Promise<void> | undefined;

  function take(line: string): void {
    const bytes = Buffer.from(line);
    waiting.push(bytes);
    waitingBytes += bytes.length;
  }

  /** Stands where the missing lines would. */
  function noteDropped(): void {
    if (dropped > 0) take(toDropNote(dropped));
    dropped = 0;
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const isWritten = await writeSome();
      if (!isWritten && closing.signal.aborted) break;
      if (!isWritten) await pause(retryDelayMs, closing.signal);
      if (waiting.length === 0) noteDropped();
    }
    draining = undefined;
  }

  async function writeSome(): Promise<boolean> {
    try {
      const written = await file.append(toBatch(waiting));
      for (const { length } of waiting.slice(0, written)) waitingBytes -= length;
      waiting = waiting.slice(written);
      inTrouble = false;
      return true;
    } catch (cause) {
      if (!inTrouble) onError?.(cause);
      inTrouble = true;
      return false;
    }
  }

  return {
    write(line) {
      if (closing.signal.aborted) return;
      if (waitingBytes + Buffer.byteLength(line) > pendingBytes) {
        dropped += 1;
        return;
      }
      noteDropped();
      take(line);
      draining ??= drain();
    },
    async close() {
      closing.abort();
      const done = new AbortController();
      const timeout = pause(closeTimeoutMs, done.signal);
      await Promise.race([Promise.resolve(draining).finally(() => done.abort()), timeout]);
      await file.close();
    },
  };
}

/** Lines to write at once: not all that wait, so that little is under way when the disk fails. At least one. */
function toBatch(lines: readonly Buffer[]): Buffer[] {
  let bytes = 0;
  const end = lines.findIndex(({ length }, index) => {
    bytes += length;
    return bytes > batchBytes && index > 0;
  });
  return lines.slice(0, end === -1 ? lines.length : end);
}
