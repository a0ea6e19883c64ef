// How much is logged: the levels, and what the person's variable says. An unknown word is refused, never guessed at.
import { ToolyardError } from '@toolyard/sdk';
import { didYouMean } from '../lib/did-you-mean.ts';

/** From talkative to quiet. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogThreshold = LogLevel | 'silent';

const words: readonly LogThreshold[] = [...logLevels, 'silent'];

/** What TOOLYARD_LOG says; nothing when it is not set. Throws `invalid_config`. */
export function parseLogLevel(env: NodeJS.ProcessEnv): LogThreshold | undefined {
  const text = env.TOOLYARD_LOG;
  if (!text) return undefined;
  const found = words.find((word) => word === text.toLowerCase());
  if (found) return found;
  const shown = JSON.stringify(text.slice(0, 40));
  throw new ToolyardError(
    'invalid_config',
    `TOOLYARD_LOG is ${shown}; use one of ${words.join(', ')}.${didYouMean(text, words)}`,
  );
}

export function isLogged(level: LogLevel, threshold: LogThreshold): boolean {
  return words.indexOf(level) >= words.indexOf(threshold);
}
