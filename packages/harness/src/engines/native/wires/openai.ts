// OpenAI, by its Responses and by its chat completions. It caches by itself; a key of ours helps it find the cache.
import type { Wire, WireSettings } from './wire.ts';

async function loadProvider() {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return ({ baseURL, apiKey, fetch }: WireSettings) => createOpenAI({ baseURL, apiKey, fetch });
}

export const openai: Wire = {
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

export const openaiChat: Wire = {
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
