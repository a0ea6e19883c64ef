// The models a session may name: how to reach one, what it costs, and which there are now.
import {
  type Config,
  type Content,
  type ContentPart,
  isReadable,
  type ModelAccess,
  type ModelInfo,
  type ModelPrice,
  ToolyardError,
} from '@toolyard/sdk';
import { findNearestOrLonger } from '../lib/did-you-mean.ts';
import type { Clock } from '../lib/ports.ts';
import { createModelNames, type NamedModel, toName } from './model-names.ts';
import { createPriceList } from './price-list.ts';
import { createProviders, isReachable, type Provider } from './providers.ts';

export interface ModelsDeps {
  env: NodeJS.ProcessEnv;
  /** The person's own. */
  configured: Config['providers'];
  clock: Clock;
  /** A login of Claude Code: it serves Anthropic's models, by its own engine only. */
  hasClaudeLogin: boolean;
  /** The address of the scripted model, while it stands for every provider. */
  rehearsal?: (() => Promise<string>) | undefined;
  /** Asks a provider which models it has. Nothing: it has no list. Rejects when nobody answers. */
  listServed(access: ModelAccess): Promise<string[] | undefined>;
}

export interface Models {
  /** Throws `unknown_model` when its provider does not exist. */
  check(name: string): void;
  /** What a person should know who names it: a provider that exists may not have it, and the nearest that we know. */
  warningFor(name: string): string | undefined;
  /** Throws `invalid_request` when the model could not be given what a message holds. */
  checkContent(name: string, content: Content): void;
  /** Throws `unknown_model`, or `provider_auth` when a key is missing. */
  resolve(name: string): Promise<ModelAccess>;
  /** Throws `unknown_model` for a provider that does not exist. */
  list(provider?: string): Promise<ModelInfo[]>;
  priceOf(name: string): ModelPrice | undefined;
  pricesAsOf(): string;
  /** The scripted model answers for all. */
  rehearsing: boolean;
}

export function createModels(deps: ModelsDeps): Models {
  const { rehearsal } = deps;
  const providers = createProviders(deps.env, deps.configured);
  const prices = createPriceList(deps.clock);
  const names = createModelNames(providers, prices);
  return {
    check: (name) => void names.split(name),
    warningFor(name) {
      const named = names.find(name);
      const hint = named && names.hint(named);
      return hint ? `The model list of ${prices.asOf()} does not contain ${name}.${hint}` : undefined;
    },
    checkContent(name, content) {
      const provider = names.find(name)?.provider;
      if (provider) requireReadable({ name, provider }, content, providers.values());
    },
    async resolve(name) {
      const named = names.split(name);
      if (rehearsal) return toRehearsal(named, await rehearsal());
      if (!isReachable(named.provider)) throw noKey(named.provider, deps.hasClaudeLogin);
      return toAccess(named, names.hint(named));
    },
    async list(name) {
      if (name !== undefined && !providers.has(name)) throw unknownProvider(name, providers.keys());
      const asked = [...providers.values()].filter((provider) => !name || provider.name === name);
      const lists = asked.map(async (provider) => {
        const known = names.of(provider);
        const byLogin = provider.name === 'anthropic' && deps.hasClaudeLogin;
        if (known.length > 0) return known.map((named) => toInfo(named, byLogin || rehearsal !== undefined));
        return rehearsal ? [] : listServed(provider, deps);
      });
      return (await Promise.all(lists)).flat();
    },
    priceOf: names.priceOf,
    pricesAsOf: prices.asOf,
    rehearsing: rehearsal !== undefined,
  };
}

function toAccess(named: NamedModel, hint = ''): ModelAccess {
  const { provider, id, known } = named;
  const { name, type, baseUrl, apiKey, authToken, settings } = provider;
  return {
    provider: name,
    type,
    model: id,
    baseUrl,
    ...toSizes(named),
    settings: { key: settings.key ?? `providers.${name}.apiKeyEnv`, address: settings.address },
    ...(apiKey && { apiKey }),
    ...(authToken && { authToken }),
    ...(hint && !known && { hint: hint.trim() }),
  };
}

function toSizes({ provider, known }: NamedModel): Pick<ModelAccess, 'window' | 'maxOutput'> {
  const window = provider.contextWindow ?? known?.contextWindow;
  return { ...(window && { window }), ...(known?.maxOutput && { maxOutput: known.maxOutput }) };
}

/** The scripted model speaks one wire, whoever is named. */
function toRehearsal(named: NamedModel, url: string): ModelAccess {
  return {
    provider: named.provider.name,
    type: 'anthropic',
    model: named.id,
    ...toSizes(named),
    baseUrl: url,
    apiKey: 'rehearsal',
    settings: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
  };
}

function toInfo(named: NamedModel, keyless: boolean): ModelInfo {
  const { provider, id, known } = named;
  const reason = keyless || isReachable(provider) ? undefined : missingKey(provider);
  return {
    name: toName(named),
    provider: provider.name,
    id,
    contextWindow: provider.contextWindow ?? known?.contextWindow ?? null,
    price: known?.price ?? null,
    usable: reason === undefined,
    ...(reason && { reason }),
  };
}

/** What a provider that the person added has itself. One that does not say is one line that says so. */
async function listServed(provider: Provider, deps: ModelsDeps): Promise<ModelInfo[]> {
  if (!provider.configured) return [];
  const any = { provider, id: '*' };
  if (!isReachable(provider)) return [toInfo(any, false)];
  const { name, baseUrl, settings } = provider;
  try {
    const served = await deps.listServed(toAccess(any));
    if (served) return served.map((id) => toInfo({ provider, id }, false));
    const reason = `${baseUrl} has no list of models. Name one yourself, as ${name}/MODEL. If that fails, check ${settings.address}.`;
    return [{ ...toInfo(any, false), reason }];
  } catch {
    const reason = `${baseUrl} did not return a list of models. Start that server, or fix ${settings.address}.`;
    return [{ ...toInfo(any, false), usable: false, reason }];
  }
}

function noKey(provider: Provider, hasClaudeLogin: boolean): ToolyardError {
  if (provider.name !== 'anthropic' || !hasClaudeLogin)
    return new ToolyardError('provider_auth', missingKey(provider));
  const how = 'Use --engine claude, set ANTHROPIC_API_KEY, or start the server with --rehearse.';
  return new ToolyardError('provider_auth', `Your Claude login works with the claude engine only. ${how}`);
}

function missingKey({ title, settings }: Provider): string {
  return `No key for ${title} was found. Set ${settings.key} in the environment of the server and restart it, or choose another model: \`toolyard models list\`.`;
}

function unknownProvider(name: string, known: Iterable<string>): ToolyardError {
  const names = [...known];
  const suggestion = findNearestOrLonger(name, names);
  const hint = suggestion ? ` Did you mean "${suggestion}"?` : '';
  const message = `There is no provider "${name.slice(0, 64)}".${hint} Providers: ${names.join(', ')}.`;
  return new ToolyardError('unknown_model', message);
}

interface Reader {
  /** `provider/model`. */
  name: string;
  provider: Provider;
}

/** Throws `invalid_request` that names who can read it. `providers`: all there are. */
function requireReadable(reader: Reader, content: Content, providers: Iterable<Provider>): void {
  if (typeof content === 'string') return;
  const part = content.find((each) => !canRead(reader.provider, each));
  if (!part || part.type === 'text') return;
  const able = [...providers].filter((each) => canRead(each, part)).map(({ name }) => name);
  const what =
    part.type === 'file'
      ? `${part.name}: it does not accept PDF`
      : `this image: it does not accept ${part.mediaType}`;
  const instead = part.type === 'file' ? 'send its text' : 'send it as PNG, JPEG or WebP';
  const message = `${reader.name} cannot read ${what}. Use a model of ${toChoice(able)}, or ${instead}.`;
  throw new ToolyardError('invalid_request', message, {
    data: { mediaType: part.mediaType, providers: able },
  });
}

function canRead({ type }: Provider, part: ContentPart): boolean {
  return part.type === 'text' || isReadable(type, part.mediaType);
}

function toChoice(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
