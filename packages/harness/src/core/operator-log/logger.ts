// The operator's log: decides what is said, makes an entry of it and hands it to every sink. Never throws, never waits.

import type { Clock, Logger } from '../lib/ports.ts';
import { createLogDeduplicator } from './log-deduplicator.ts';
import { type LogEntry, toLogEntry } from './log-entry.ts';
import { isLogged, type LogLevel, type LogThreshold } from './log-level.ts';
import type { Redact } from './redact.ts';

export interface LogSink {
  threshold: LogThreshold;
  /** The same entry as data and as one line. Must not throw. */
  write(entry: LogEntry, line: string): void;
}

export interface LoggerOptions {
  clock: Clock;
  redact: Redact;
  sinks: readonly LogSink[];
}

export interface OperatorLog {
  logger: Logger;
  /** Hands over what is held back. */
  flush(): void;
}

export function createLogger({ clock, redact, sinks }: LoggerOptions): OperatorLog {
  const repeats = createLogDeduplicator((entry, line) => {
    for (const { threshold, write } of sinks) if (isLogged(entry.level, threshold)) write(entry, line);
  });
  const at = (level: LogLevel) => {
    if (!sinks.some(({ threshold }) => isLogged(level, threshold))) return () => {};
    return (message: string, data?: Record<string, unknown>) =>
      repeats.write(toLogEntry({ time: toTime(clock), level, message, data }, redact));
  };
  return {
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    flush: repeats.flush,
  };
}

/** For whoever must be given one and has nothing to say. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function toTime(clock: Clock): string {
  const now = clock.now();
  return new Date(Number.isFinite(now) ? now : 0).toISOString();
}
