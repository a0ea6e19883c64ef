// Where a server listens and a command is called from, by the environment.
import { resolve } from 'node:path';
import { type Config, ToolyardError } from '@toolyard/sdk';

/** Beyond this machine, the token must be one that the operator chose. */
export function requireOwnToken(host: string, env: NodeJS.ProcessEnv): void {
  if (['127.0.0.1', '::1', 'localhost'].includes(host) || env.TOOLYARD_TOKEN) return;
  const how = 'Set TOOLYARD_TOKEN to a long secret, or listen on 127.0.0.1.';
  throw new ToolyardError('invalid_config', `Other machines can connect to ${host}. ${how}`);
}

export function portOf(env: NodeJS.ProcessEnv, config: Config): number {
  const port = env.TOOLYARD_PORT === undefined ? config.server.port : Number(env.TOOLYARD_PORT);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new ToolyardError(
    'invalid_config',
    `TOOLYARD_PORT is "${env.TOOLYARD_PORT}"; use a number from 0 to 65535.`,
  );
}

/** Where the person called the command from. */
export function workspaceOf(env: NodeJS.ProcessEnv): string {
  return resolve(env.TOOLYARD_WORKSPACE || env.INIT_CWD || process.cwd());
}
