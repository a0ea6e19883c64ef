// The providers of models there are: the built-in ones, with their usual variables, and those of the person's
// configuration. Reads the environment; calls nobody.
import type { Config, ProviderConfig, ProviderType } from '@toolyard/sdk';

export interface Provider {
  name: string;
  /** For sentences. */
  title: string;
  type: ProviderType;
  baseUrl: string;
  apiKey?: string;
  authToken?: string;
  /** What a person sets or checks: the key's variable, and what gives the address. `key` is none where none is needed. */
  settings: { key?: string; address: string };
  /** Whose models and prices these are, in the price list. */
  catalog?: string;
  /** Of all its models, when the person says so. */
  contextWindow?: number;
  /** The person added it. */
  configured: boolean;
}

interface BuiltIn {
  title: string;
  type: ProviderType;
  baseUrl: string;
  /** The first that is set counts. */
  keys: readonly [string, ...string[]];
  tokens?: readonly string[];
  address: string;
  catalog: string;
  /** The model of a person who has this provider alone and names none. */
  defaultModel: string;
}

const openai = {
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keys: ['OPENAI_API_KEY'],
  address: 'OPENAI_BASE_URL',
  catalog: 'openai',
  defaultModel: 'gpt-6.1-sol',
} as const;

const builtIns: Readonly<Record<string, BuiltIn>> = {
  anthropic: {
    title: 'Anthropic',
    type: 'anthropic',
    // Without `/v1`, as the Claude CLI means it.
    baseUrl: 'https://api.anthropic.com',
    keys: ['ANTHROPIC_API_KEY'],
    tokens: ['ANTHROPIC_AUTH_TOKEN'],
    address: 'ANTHROPIC_BASE_URL',
    catalog: 'anthropic',
    defaultModel: 'claude-sonnet-5',
  },
  openai: { ...openai, type: 'openai' },
  'openai-chat': { ...openai, type: 'openai-chat' },
  google: {
    title: 'Google',
    type: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    address: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    catalog: 'google',
    defaultModel: 'gemini-3.8-flash',
  },
};

/** A name of the configuration takes the place of a built-in one. */
export function createProviders(
  env: NodeJS.ProcessEnv,
  configured: Config['providers'],
): ReadonlyMap<string, Provider> {
  const own = Object.entries(builtIns).map(
    ([name, builtIn]) => [name, toBuiltIn(name, builtIn, env)] as const,
  );
  const added = Object.entries(configured).map(
    ([name, config]) => [name, toConfigured(name, config, env)] as const,
  );
  return new Map([...own, ...added]);
}

/** Is what is needed to use it there? */
export function isReachable({ apiKey, authToken, settings }: Provider): boolean {
  return settings.key === undefined || Boolean(apiKey || authToken);
}

/** The providers that a person has a key for or has configured; the built-in Anthropic is not one of them. */
export function findOthers(providers: ReadonlyMap<string, Provider>): Provider[] {
  const others = [...providers.values()].filter(isReachable);
  // Another way to the same provider is not another one.
  return others.filter(
    ({ name, catalog, configured }) => configured || (catalog === name && name !== 'anthropic'),
  );
}

/** The model of a session that names none, for a person who has no access to the one that is usual. */
export function findDefaultModel(others: readonly Provider[]): string | undefined {
  const found = others.find(({ name, configured }) => !configured && builtIns[name]);
  return found && `${found.name}/${builtIns[found.name]?.defaultModel}`;
}

function toBuiltIn(name: string, builtIn: BuiltIn, env: NodeJS.ProcessEnv): Provider {
  const { title, type, keys, tokens = [], address, catalog } = builtIn;
  const [key, token] = [firstSet(keys, env), firstSet(tokens, env)];
  return {
    name,
    title,
    type,
    catalog,
    configured: false,
    baseUrl: env[address] || builtIn.baseUrl,
    settings: { key: key?.name ?? keys.join(' or '), address },
    ...(key && { apiKey: key.value }),
    ...(token && { authToken: token.value }),
  };
}

/** Without an address of its own it is the usual provider of its type; the usual key goes nowhere else. */
function toConfigured(name: string, config: ProviderConfig, env: NodeJS.ProcessEnv): Provider {
  const { type, baseUrl, apiKeyEnv, contextWindow } = config;
  const builtIn = baseUrl === undefined ? builtIns[type] : undefined;
  const bare = { name, title: name, type, baseUrl: baseUrl ?? '', configured: true };
  const base: Provider = builtIn
    ? { ...toBuiltIn(name, builtIn, env), configured: true }
    : { ...bare, settings: { address: `providers.${name}.baseUrl` } };
  const keyed = apiKeyEnv === undefined ? base : withKey(base, apiKeyEnv, env[apiKeyEnv]?.trim());
  return { ...keyed, ...(contextWindow && { contextWindow }) };
}

function withKey(provider: Provider, key: string, value: string | undefined): Provider {
  const { apiKey: _usual, authToken: _token, ...rest } = provider;
  return { ...rest, settings: { ...rest.settings, key }, ...(value && { apiKey: value }) };
}

function firstSet(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): { name: string; value: string } | undefined {
  for (const name of names) {
    // A key from a file often ends with a line break.
    const value = env[name]?.trim();
    if (value) return { name, value };
  }
  return undefined;
}
