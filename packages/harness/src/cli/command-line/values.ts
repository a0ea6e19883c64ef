// Validates and converts what people write in options and environment variables.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';
import { findNearest } from '../../app/home.ts';

/** A whole number within bounds. `name` is the option or variable, for the error message. */
export function toNumber(text: string, name: string, bounds: { min: number; max: number }): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= bounds.min && value <= bounds.max) return value;
  throw new ToolyardError(
    'usage',
    `${name} is "${text}". Use a whole number from ${bounds.min} to ${bounds.max}.`,
  );
}

export function toPort(text: string, name: string): number {
  return toNumber(text, name, { min: 0, max: 65535 });
}

/** The directory in which the command was called. npm runs scripts elsewhere and puts it into INIT_CWD. */
export function toCallDirectory(env: NodeJS.ProcessEnv): string {
  return env.INIT_CWD || process.cwd();
}

/** A path written by a person, resolved from the directory in which the command was called. */
export function toPath(text: string, env: NodeJS.ProcessEnv): string {
  return resolve(toCallDirectory(env), text);
}

/** Directory of sessions that name none: `given`, TOOLYARD_WORKSPACE, or where the command was called. */
export function toWorkspace(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const written = given ?? (env.TOOLYARD_WORKSPACE || undefined);
  const path = toPath(written ?? '.', env);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  const name = given === undefined ? 'TOOLYARD_WORKSPACE' : '--workspace';
  throw new ToolyardError(
    'usage',
    `${name} names "${path}", which is not a directory. Name one that exists.`,
  );
}

/** The usage error for a value that the protocol rejects. `names` maps each key to the option that set it. */
export function toUsage(
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
  names: Readonly<Record<string, string>>,
): ToolyardError {
  const [problem] = issues;
  const key = String(problem?.path[0] ?? '');
  return new ToolyardError('usage', `${names[key] ?? `--${key}`}: ${problem?.message}`);
}

/** One of a fixed set of choices. */
export function toChoice<T extends string>(text: string, name: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const suggestion = findNearest(text, choices);
  const next = suggestion ? `Did you mean "${suggestion}"?` : `Use ${choices.join(', ')}.`;
  throw new ToolyardError('usage', `${name} is "${text}". ${next}`);
}
