// Google's Gemini API. It caches by itself.
import type { Wire } from './wire.ts';

export const google: Wire = {
  async load() {
    const { createGoogle } = await import('@ai-sdk/google');
    return ({ baseURL, apiKey, fetch }) => {
      const provider = createGoogle({ baseURL, apiKey, fetch });
      return (model) => provider.languageModel(model);
    };
  },
  prepare: (request) => ({ ...request }),
};
