// The AI SDK's provider, loaded on first use, and the names this folder gives to its types. Nothing else imports it.
import type { AnthropicProvider } from '@ai-sdk/anthropic';
import { ToolyardError } from '@toolyard/sdk';
import { fetchStream } from './fetch-stream.ts';

/** A model as the AI SDK's provider specification has it: one call, one step. */
export type Model = ReturnType<AnthropicProvider['languageModel']>;
type CallOptions = Parameters<Model['doStream']>[0];
export type Message = CallOptions['prompt'][number];
export type ModelTools = NonNullable<CallOptions['tools']>;
export type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number];
export type UserPart = Extract<Message, { role: 'user' }>['content'][number];
export type ProviderOptions = NonNullable<AssistantPart['providerOptions']>;
type StreamOf<Result> = Result extends { stream: ReadableStream<infer Part> } ? Part : never;
export type StreamPart = StreamOf<Awaited<ReturnType<Model['doStream']>>>;

/** How to reach Anthropic. `baseUrl` has the Claude CLI's meaning: without `/v1`. */
export interface AnthropicAccess {
  baseUrl?: string;
  apiKey?: string;
  authToken?: string;
}

export interface Models {
  /** Loads the provider ahead of its first use; failing is left to `find`. */
  warm(): void;
  /** Throws a ToolyardError that says what is missing. */
  find(name: string): Promise<Model>;
}

const anthropicUrl = 'https://api.anthropic.com';
const providers = ['anthropic'];

export function createModels(anthropic: () => AnthropicAccess | Promise<AnthropicAccess>): Models {
  let loading: Promise<typeof import('@ai-sdk/anthropic')> | undefined;
  // Kept, because even the import of a loaded module takes time to resolve.
  const load = () => {
    loading ??= import('@ai-sdk/anthropic');
    return loading;
  };
  let built: { key: string; provider: AnthropicProvider } | undefined;

  async function provide(): Promise<AnthropicProvider> {
    const [access, { createAnthropic }] = await Promise.all([anthropic(), load()]);
    const key = JSON.stringify(access);
    // Keys may change while the server runs; as long as they do not, the provider is built once.
    if (built?.key !== key) built = { key, provider: createAnthropic(toSettings(access)) };
    return built.provider;
  }

  return {
    warm: () => void load().catch(() => {}),
    async find(name) {
      const { provider, model } = splitModel(name);
      if (!providers.includes(provider) || model === '') throw unknownModel(name);
      return (await provide()).languageModel(model);
    },
  };
}

/** Everything is given, so that the provider never reads the environment by itself. */
function toSettings({ baseUrl = anthropicUrl, apiKey, authToken }: AnthropicAccess) {
  if (!apiKey && !authToken) throw noCredentials();
  if (!/^https?:\/\/./.test(baseUrl) || !URL.canParse(baseUrl)) throw noAddress(baseUrl);
  return {
    baseURL: `${baseUrl.replace(/\/+$/, '')}/v1`,
    ...(authToken ? { authToken } : { apiKey: apiKey ?? '' }),
    fetch: fetchStream,
  };
}

function splitModel(name: string): { provider: string; model: string } {
  const slash = name.indexOf('/');
  return slash < 0
    ? { provider: '', model: '' }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

function unknownModel(name: string): ToolyardError {
  return new ToolyardError(
    'unknown_model',
    `There is no model "${name.slice(0, 100)}". A model is written provider/model, and the known providers are: ${providers.join(', ')}.`,
  );
}

function noAddress(baseUrl: string): ToolyardError {
  return new ToolyardError(
    'invalid_config',
    `ANTHROPIC_BASE_URL is "${baseUrl.slice(0, 100)}"; use an address such as ${anthropicUrl}, without /v1.`,
  );
}

function noCredentials(): ToolyardError {
  return new ToolyardError(
    'provider_auth',
    'No credentials for Anthropic were found. Set ANTHROPIC_API_KEY, or rehearse without a key.',
  );
}
