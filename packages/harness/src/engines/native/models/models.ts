// Finds the model a session names: the access that the harness grants, and the wire it is spoken to by, loaded on first
// use and built anew when the access changes.
import { type ModelAccess, ToolyardError } from '@toolyard/sdk';
import type { Model } from './provider.ts';
import { createFetchStream, type Wire, type WireSettings, wires } from './wires.ts';

/** Access to a model by its name. May reject with what a person should do. */
export type Access = (model: string) => ModelAccess | Promise<ModelAccess>;

export interface FoundModel {
  model: Model;
  wire: Wire;
  access: ModelAccess;
}

export interface Models {
  /** Loads what the model is likely to need ahead of its first use; failing is left to `find`. */
  warm(name: string): void;
  /** Throws a ToolyardError that says what is missing. */
  find(name: string): Promise<FoundModel>;
}

type Build = (model: string) => Model;

export function createModels(access: Access): Models {
  // Kept, because even the import of a loaded module takes time to resolve.
  const loading = new Map<Wire, ReturnType<Wire['load']>>();
  const load = (wire: Wire) => {
    const loaded = loading.get(wire) ?? wire.load();
    loading.set(wire, loaded);
    return loaded;
  };
  const built = new Map<string, { key: string; build: Build }>();

  /** Keys may change while the server runs; as long as they do not, a provider is built once. */
  async function provide(wire: Wire, granted: ModelAccess): Promise<Build> {
    const settings = toSettings(granted);
    const create = await load(wire);
    const key = JSON.stringify([granted.type, settings]);
    const found = built.get(granted.provider);
    if (found?.key === key) return found.build;
    const build = create(settings);
    built.set(granted.provider, { key, build });
    return build;
  }

  return {
    warm(name) {
      const [, wire] = Object.entries(wires).find(([type]) => name.startsWith(`${type}/`)) ?? [];
      if (wire) load(wire).catch(() => {});
    },
    async find(name) {
      const granted = await access(name);
      const wire = wires[granted.type];
      return { model: (await provide(wire, granted))(granted.model), wire, access: granted };
    },
  };
}

/** Everything is given, so that no provider reads the environment by itself. */
function toSettings({ provider, type, baseUrl, apiKey, authToken, settings }: ModelAccess): WireSettings {
  if (!apiKey && !authToken && type !== 'openai-compatible') throw noCredentials(provider, settings.key);
  if (![apiKey, authToken].every(isHeaderValue)) throw unusableKey(provider, settings.key);
  if (!isAddress(baseUrl)) throw noAddress(baseUrl, settings.address);
  return {
    name: provider,
    baseURL: baseUrl.replace(/\/+$/, ''),
    apiKey: apiKey ?? '',
    ...(authToken && { authToken }),
    fetch: createFetchStream(settings.address),
  };
}

/** What else there is in a key would fail each request, in words that may quote it. */
function isHeaderValue(key = ''): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(key);
}

function unusableKey(provider: string, key: string): ToolyardError {
  const message = `The key for ${provider} is not valid: it contains a line break, a curly quote or a similar character. Set ${key} to the key alone.`;
  return new ToolyardError('provider_auth', message);
}

/** An address that holds a password is none: it would be shown wherever it fails. */
function isAddress(baseUrl: string): boolean {
  return /^https?:\/\/[^/@]+(\/|$)/.test(baseUrl) && URL.canParse(baseUrl);
}

function noAddress(baseUrl: string, address: string): ToolyardError {
  const shown = baseUrl.replace(/^.*@/, '…@').slice(0, 100);
  const message = `${address} is "${shown}"; use an address such as http://127.0.0.1:8080.`;
  return new ToolyardError('invalid_config', message);
}

function noCredentials(provider: string, key: string): ToolyardError {
  const message = `No credentials for ${provider} were found. Set ${key}, or start the server with --rehearse.`;
  return new ToolyardError('provider_auth', message);
}
