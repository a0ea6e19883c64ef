// The ways to speak with providers, one for each type. Each loads its library on first use and reads no environment.
import { type ModelAccess, type ProviderType, ToolyardError } from '@toolyard/sdk';
import { markCached } from './prompt-cache.ts';
import type { CallOptions, Message, Model } from './provider.ts';

/** What a wire is built with: everything is given, so that the library never looks for it by itself. */
export interface WireSettings {
  name: string;
  /** Without a slash at its end. */
  baseURL: string;
  apiKey: string;
  authToken?: string;
  fetch: FetchStream;
}

export type Request = Pick<CallOptions, 'prompt' | 'tools' | 'maxOutputTokens'>;

export interface RequestFacts {
  sessionId: string;
  access: ModelAccess;
  /** About how much of the window the request takes. */
  usedTokens: number;
}

export interface Wire {
  /** Loads the library; the result builds models by their name at the provider. */
  load(): Promise<(settings: WireSettings) => (model: string) => Model>;
  /** It shows a sign of life while the model thinks. */
  pings?: true;
  /** The request as this wire wants it: what may be cached is marked, what is the provider's own is set. */
  prepare(request: Request, facts: RequestFacts): Request & Pick<CallOptions, 'providerOptions'>;
}

type FetchStream = (url: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

/**
 * The one way out to a model: no redirect is followed, and whatever is not an event stream is refused at once. `address`
 * is what a person checks when it is not a model that answers.
 */
export function createFetchStream(address: string): FetchStream {
  return async (url, init) => {
    // A redirect would carry the key to wherever it points.
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const type = response.headers.get('content-type') ?? 'nothing';
    if (!response.ok || /^text\/event-stream\b/i.test(type)) return response;
    await response.body?.cancel();
    throw new ToolyardError(
      'malformed_response',
      `The model’s provider answered with ${type.slice(0, 60)} instead of an event stream. Check ${address}.`,
    );
  };
}

/** Anthropic Messages. Caching is asked for by marks; `includePings` lets a thinking model show that it lives. */
const anthropic: Wire = {
  async load() {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return ({ baseURL, apiKey, authToken, fetch }) => {
      const access = authToken ? { authToken } : { apiKey };
      const provider = createAnthropic({ baseURL: `${baseURL}/v1`, fetch, ...access });
      return (model) => provider.languageModel(model);
    };
  },
  pings: true,
  prepare: (request, facts) => ({
    ...markCached(request),
    ...limitOutput(facts),
    providerOptions: { anthropic: { includePings: true } },
  }),
};

/** What is read and what may be answered must fit into the window together; an answer is cut before it is refused. */
function limitOutput({ access, usedTokens }: RequestFacts): { maxOutputTokens?: number } {
  const { window, maxOutput } = access;
  if (window === undefined || maxOutput === undefined) return {};
  const left = Math.floor(window - usedTokens * 1.1);
  return left < maxOutput ? { maxOutputTokens: Math.max(left, 1_024) } : {};
}

/** OpenAI, by its Responses and by its chat completions. It caches by itself; a key of ours helps it find the cache. */
async function loadProvider() {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return ({ baseURL, apiKey, fetch }: WireSettings) => createOpenAI({ baseURL, apiKey, fetch });
}

const openai: Wire = {
  async load() {
    const create = await loadProvider();
    return (settings) => {
      const provider = create(settings);
      return (model) => provider.responses(model);
    };
  },
  // Nothing is kept at the provider: our own transcript is whole, thoughts (encrypted) included.
  prepare: (request, { sessionId }) => ({
    ...request,
    providerOptions: { openai: { store: false, promptCacheKey: sessionId } },
  }),
};

const openaiChat: Wire = {
  async load() {
    const create = await loadProvider();
    return (settings) => {
      const provider = create(settings);
      return (model) => provider.chat(model);
    };
  },
  prepare: (request, { sessionId }) => ({
    ...request,
    providerOptions: { openai: { promptCacheKey: sessionId } },
  }),
};

/** Servers that speak like OpenAI's chat completions: Ollama, vLLM, LM Studio, gateways. A key is sent only if there is one. */
const openaiCompatible: Wire = {
  async load() {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return ({ name, baseURL, apiKey, fetch }) => {
      const key = apiKey === '' ? {} : { apiKey };
      const provider = createOpenAICompatible({ name, baseURL, fetch, includeUsage: true, ...key });
      return (model) => provider.languageModel(model);
    };
  },
  prepare: (request) => ({ ...request, prompt: request.prompt.map(markFailed) }),
};

/** The wire has no word for a call that failed, and the library sends its text as if it had not. */
function markFailed(message: Message): Message {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || part.output.type !== 'error-text') return part;
    return { ...part, output: { type: 'error-json' as const, value: { error: part.output.value } } };
  });
  return { ...message, content };
}

/** Google's Gemini API. It caches by itself. */
const google: Wire = {
  async load() {
    const { createGoogle } = await import('@ai-sdk/google');
    return ({ baseURL, apiKey, fetch }) => {
      const provider = createGoogle({ baseURL, apiKey, fetch });
      return (model) => provider.languageModel(model);
    };
  },
  prepare: (request) => ({ ...request }),
};

export const wires: Record<ProviderType, Wire> = {
  anthropic,
  openai,
  'openai-chat': openaiChat,
  google,
  'openai-compatible': openaiCompatible,
};
