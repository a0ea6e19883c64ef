// Servers that speak like OpenAI's chat completions: Ollama, vLLM, LM Studio, gateways. A key is sent only if there is one.
import type { Message } from '../provider.ts';
import type { Wire } from './wire.ts';

export const openaiCompatible: Wire = {
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
