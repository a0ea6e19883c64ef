// Anthropic Messages. Caching is asked for by marks; `includePings` lets a thinking model show that it lives.
import { markCached } from '../prompt-cache.ts';
import type { RequestFacts, Wire } from './wire.ts';

export const anthropic: Wire = {
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
