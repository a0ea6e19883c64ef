// Formats the error that ends a command: a message for a person, `{error}` for a program, an exit code for a script.
import { type ErrorCode, ToolyardError, toReadable } from '@toolyard/sdk';
import { findNearest } from '../../app/home.ts';
import { program } from '../terminal/program.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Mistake } from './arguments.ts';

interface Audience {
  terminal: Terminal;
  json: boolean;
  env: NodeJS.ProcessEnv;
}

/** Errors that a person fixes by changing the command line or the configuration. */
const usageCodes = new Set<ErrorCode>([
  'usage',
  'invalid_config',
  'unknown_role',
  'unknown_engine',
  'unknown_model',
  'unknown_tool',
]);

/** Writes the error to stderr and returns the exit code. */
export function explain(thrown: unknown, { terminal: { err }, json, env }: Audience): number {
  const error = thrown instanceof ToolyardError ? thrown : toUnexpected(thrown);
  if (json) err.line(JSON.stringify({ error: error.toFailure() }));
  else err.line(`${err.paint('red', 'error:')} ${toReadable(error.message)}`);
  if (env.TOOLYARD_LOG?.toLowerCase() === 'debug') err.line(err.paint('dim', toTrace(thrown)));
  return usageCodes.has(error.code) ? 2 : 1;
}

export function toUsageError({ message, path, word, candidates }: Mistake): ToolyardError {
  const suggestion = word && candidates ? findNearest(word, candidates) : undefined;
  const words = path.map((command) => `${command.name} `).join('');
  const next = suggestion ? `Did you mean "${suggestion}"?` : `See: ${program} ${words}--help`;
  return new ToolyardError('usage', `${message} ${next}`, suggestion ? { data: { suggestion } } : {});
}

function toUnexpected(thrown: unknown): ToolyardError {
  const reason = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown);
  const message = `Internal error in Toolyard (${reason}). Set TOOLYARD_LOG=debug and try again to see where.`;
  return new ToolyardError('internal', message, { cause: thrown });
}

function toTrace(thrown: unknown): string {
  if (!(thrown instanceof Error)) return toReadable(String(thrown));
  const cause = thrown.cause === undefined ? '' : `\nCaused by: ${toTrace(thrown.cause)}`;
  return toReadable(thrown.stack ?? thrown.message) + cause;
}
