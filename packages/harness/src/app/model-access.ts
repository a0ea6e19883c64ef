// Which models answer in this yard: the person's own, if a key, a login of Claude Code or a provider of their
// configuration is found, else the rehearsal, which starts when it is first needed.
import type { Config } from '@toolyard/sdk';
import type { Clock } from '../core/lib/ports.ts';
import { toClaudeAccess } from '../core/models/credentials.ts';
import { findAccess } from '../core/models/default-model.ts';
import { createModels, type Models } from '../core/models/models.ts';
import { listServedModels } from '../engines/native/models/list-models.ts';
import type { Rehearsal } from '../rehearsal/serve.ts';

export interface OwnModels {
  rehearsing: boolean;
  models: Models;
  /** Is there access to Anthropic's models, for the engine that has a program of its own for them? */
  hasAnthropic: boolean;
  /** The same, as the Claude CLI reads it. */
  claudeAccess(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export interface OwnModelsDeps {
  env: NodeJS.ProcessEnv;
  config: Config;
  clock: Clock;
  /** Use the scripted model even when a key is there. */
  rehearse: boolean;
  serveRehearsal(): Promise<Rehearsal>;
}

export function findOwnModels({ env, config, clock, rehearse, serveRehearsal }: OwnModelsDeps): OwnModels {
  const { anthropic, login, others } = findAccess(env, config);
  const rehearsing = rehearse || !(anthropic || login || others.length > 0);
  let rehearsal: Promise<Rehearsal> | undefined;
  const rehearsalUrl = async () => {
    rehearsal ??= serveRehearsal().catch((thrown) => {
      // A scenario that is mended counts the next time.
      rehearsal = undefined;
      throw thrown;
    });
    return (await rehearsal).url;
  };
  return {
    rehearsing,
    models: createModels({
      env,
      configured: config.providers,
      clock,
      hasClaudeLogin: login,
      listServed: listServedModels,
      ...(rehearsing && { rehearsal: rehearsalUrl }),
    }),
    hasAnthropic: !rehearsing && (anthropic || login),
    async claudeAccess() {
      if (!rehearsing) return toClaudeAccess(env);
      return { ANTHROPIC_BASE_URL: await rehearsalUrl(), ANTHROPIC_API_KEY: 'rehearsal' };
    },
    // One that could not start was told to whoever wanted it.
    close: async () => (await rehearsal?.catch(() => undefined))?.close(),
  };
}
