// The model of whoever names none, by what they have access to. Reads the environment; calls nobody.
import { Config } from '@toolyard/sdk';
import { findAnthropicAccess, hasClaudeLogin } from './credentials.ts';
import { createProviders, findDefaultModel, findOthers } from './providers.ts';

/** For a person who names no model and has no access to the usual one: the usual one of a provider they have. */
export function withDefaultModel(config: Config, env: NodeJS.ProcessEnv): Config {
  const { anthropic, login, others } = findAccess(env, config);
  const isDefault = config.defaults.model === Config.parse({}).defaults.model;
  const hasDefault = anthropic || login || Object.hasOwn(config.providers, 'anthropic');
  const model = isDefault && !hasDefault ? findDefaultModel(others) : undefined;
  return model ? { ...config, defaults: { ...config.defaults, model } } : config;
}

/** What a person has. */
export function findAccess(env: NodeJS.ProcessEnv, config: Config) {
  return {
    anthropic: findAnthropicAccess(env) !== undefined,
    login: hasClaudeLogin(env),
    others: findOthers(createProviders(env, config.providers)),
  };
}
