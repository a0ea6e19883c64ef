// Which model answers: the person's own, if a key or a login of Claude Code is found, else the rehearsal.

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface AnthropicAccess {
  /** Without `/v1`, as the Claude CLI means it. */
  baseUrl?: string;
  apiKey?: string;
  authToken?: string;
}

/** The person's access to Anthropic, or nothing when the environment holds no key. */
export function findAnthropicAccess(env: NodeJS.ProcessEnv): AnthropicAccess | undefined {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: baseUrl } = env;
  if (!apiKey && !authToken) return undefined;
  return { ...(apiKey && { apiKey }), ...(authToken && { authToken }), ...(baseUrl && { baseUrl }) };
}

/** The credentials in the environment, as the Claude CLI reads them. */
export function toClaudeAccess(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_OAUTH_TOKEN',
  ];
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** Has this person logged in with Claude Code? Only its own files know, and only that much of them is read. */
export function hasClaudeLogin(env: NodeJS.ProcessEnv): boolean {
  if (env.CLAUDE_CODE_OAUTH_TOKEN) return true;
  const home = env.HOME || homedir();
  if (existsSync(join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), '.credentials.json'))) return true;
  try {
    const state: unknown = JSON.parse(
      readFileSync(join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'), 'utf8'),
    );
    return (
      typeof state === 'object' && state !== null && 'oauthAccount' in state && Boolean(state.oauthAccount)
    );
  } catch {
    return false;
  }
}
