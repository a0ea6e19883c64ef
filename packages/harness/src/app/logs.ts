// The operator's log, wired: into files of the home, and to whoever watches the server.
import { join } from 'node:path';
import type { Config } from '@toolyard/sdk';
import type { Clock, Logger } from '../core/lib/ports.ts';
import { createLogDisk } from '../core/operator-log/log-disk.ts';
import { type LogEntry, toLogEntry, toLogLine } from '../core/operator-log/log-entry.ts';
import { createLogFile } from '../core/operator-log/log-file.ts';
import { parseLogLevel } from '../core/operator-log/log-level.ts';
import { createLogger, type LogSink } from '../core/operator-log/logger.ts';
import { createRedact, type Redact } from '../core/operator-log/redact.ts';

export type { LogEntry } from '../core/operator-log/log-entry.ts';

export interface LogOptions {
  home: string;
  env: NodeJS.ProcessEnv;
  config: Config;
  token: string;
  clock: Clock;
  /** Takes the place of the files. */
  logger?: Logger | undefined;
  onLog?: ((entry: LogEntry, line: string) => void) | undefined;
}

export interface Logs {
  logger: Logger;
  redact: Redact;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

/** Throws `invalid_config` for a level that does not exist. Touches no file until there is something to say. */
export function openLogs({ home, env, config, token, clock, logger, onLog }: LogOptions): Logs {
  const level = parseLogLevel(env);
  const redact = createRedact(env, [token, ...findProviderKeys(config, env)]);
  if (logger) return { logger, redact, close: async () => {} };
  const note = (message: string, data: Record<string, unknown>) =>
    toLogEntry({ time: new Date(clock.now()).toISOString(), level: 'warn', message, data }, redact);
  const file = createLogFile({
    disk: createLogDisk(join(home, 'logs')),
    toDropNote: (dropped) => toLogLine(note('dropped log entries: the disk is too slow', { dropped })),
    onError(cause) {
      const entry = note('could not write the log; entries that do not fit in memory are dropped', { cause });
      onLog?.(entry, toLogLine(entry));
    },
  });
  const sinks: LogSink[] = [{ threshold: level ?? 'info', write: (_, line) => file.write(line) }];
  // A terminal is for what a person should see now; a level that they chose holds for both.
  if (onLog) sinks.push({ threshold: level ?? 'warn', write: onLog });
  const log = createLogger({ clock, redact, sinks });
  return {
    logger: log.logger,
    redact,
    close() {
      log.flush();
      return file.close();
    },
  };
}

/** Whatever their variables are called. */
function findProviderKeys({ providers }: Config, env: NodeJS.ProcessEnv): string[] {
  return Object.values(providers).flatMap(({ apiKeyEnv }) => (apiKeyEnv && env[apiKeyEnv]) || []);
}
