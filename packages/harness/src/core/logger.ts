// Lines for the operator: time, level, sentence, details. To stderr; never to a client.
import { inspect } from 'node:util';
import type { Logger } from './ports.ts';

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type Level = (typeof levels)[number];

export function createLogger(
  env: NodeJS.ProcessEnv,
  write = (line: string) => process.stderr.write(line),
): Logger {
  const threshold = levels.indexOf(parseLevel(env.TOOLYARD_LOG));
  const at = (level: Level) => (message: string, data?: Record<string, unknown>) => {
    if (levels.indexOf(level) < threshold) return;
    const details = data ? ` ${inspect(data, { breakLength: Number.POSITIVE_INFINITY, depth: 5 })}` : '';
    write(`${new Date().toISOString()} ${level} ${message}${details}\n`);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function parseLevel(text: string | undefined): Level {
  return levels.find((level) => level === text) ?? 'warn';
}
