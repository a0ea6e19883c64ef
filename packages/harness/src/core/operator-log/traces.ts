// Wire traces: what went between an engine and its own program, one file per session, for whoever debugs it. A trace
// must never disturb a session: what cannot be written is lost, and told to the log.
import { constants } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock, Logger } from '../lib/ports.ts';
import type { Redact } from './redact.ts';
import { type Direction, toTraceLine } from './trace-line.ts';

/** Bytes of one file. */
const maxTraceBytes = 16 * 1024 * 1024;

export interface TraceDeps {
  folder: string;
  clock: Clock;
  logger: Logger;
  redact: Redact;
  /** Trace every session. */
  all: boolean;
  /** For tests: a smaller file. */
  maxBytes?: number;
}

export type Traces = ReturnType<typeof createTraces>;

interface Sink {
  waiting: string[];
  /** Bytes since the file was last known to have room. */
  taken: number;
  writing: Promise<void> | undefined;
  /** Nothing more is taken: the file is full, or the disk refuses. */
  closed: boolean;
}

export function createTraces({ folder, clock, logger, redact, all, maxBytes = maxTraceBytes }: TraceDeps) {
  const wanted = new Set<string>();
  const sinks = new Map<string, Sink>();
  const isTraced = (sessionId: string) => all || wanted.has(sessionId);
  const now = () => new Date(clock.now()).toISOString();

  function add(sessionId: string, line: string): void {
    const sink = sinks.get(sessionId) ?? { waiting: [], taken: 0, writing: undefined, closed: false };
    sinks.set(sessionId, sink);
    // What is past the end of the file need not wait for a slow disk.
    if (sink.closed || sink.taken > maxBytes) return;
    sink.waiting.push(`${line}\n`);
    sink.taken += Buffer.byteLength(line) + 1;
    sink.writing ??= drain(sessionId, sink);
  }

  async function drain(sessionId: string, sink: Sink): Promise<void> {
    try {
      while (sink.waiting.length > 0 && !sink.closed) {
        sink.closed = await appendLines(join(folder, `${sessionId}.jsonl`), sink.waiting.splice(0), maxBytes);
      }
    } catch (cause) {
      sink.closed = true;
      logger.warn('could not write a trace', { sessionId, cause });
    }
    sink.writing = undefined;
    if (!sink.closed) sinks.delete(sessionId);
  }

  return {
    isTraced,

    /** From the next start of its engine on; false stops it. Lasts as long as the server. */
    want(sessionId: string, on: boolean): void {
      if (!on) wanted.delete(sessionId);
      else if (!wanted.has(sessionId)) {
        wanted.add(sessionId);
        add(sessionId, JSON.stringify({ at: now(), note: `trace of ${sessionId}` }));
      }
    },

    /** Takes every line on the wire of a session, if it is traced. Never waits, never throws. */
    tapOf(sessionId: string): ((direction: Direction, line: string) => void) | undefined {
      if (!isTraced(sessionId)) return undefined;
      return (direction, line) => {
        if (isTraced(sessionId)) add(sessionId, toTraceLine(now(), direction, line, redact));
      };
    },

    /** With the session. */
    async remove(sessionId: string): Promise<void> {
      wanted.delete(sessionId);
      const sink = sinks.get(sessionId);
      if (sink) sink.closed = true;
      await sink?.writing;
      await rm(join(folder, `${sessionId}.jsonl`), { force: true });
    },

    /** Resolves when all that was taken is written. */
    async close(): Promise<void> {
      await Promise.all([...sinks.values()].map(({ writing }) => writing));
    },
  };
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Adds the lines that fit and, after the last one that did, a word that there was more. Says whether it is full. */
async function appendLines(path: string, lines: readonly string[], maxBytes: number): Promise<boolean> {
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
