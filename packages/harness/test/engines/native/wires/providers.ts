// Every provider that has a double here, and access to it.
import type { ModelAccess } from '@toolyard/sdk';
import type { DoubleWire } from './double.ts';
import { gemini } from './gemini.ts';
import { openaiChat, openaiLike } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

export interface DoubledProvider {
  wire: DoubleWire;
  model: string;
  granted: Partial<ModelAccess>;
  /** Its wire has no thoughts. */
  thoughtless?: true;
}

export const doubledProviders: Record<string, DoubledProvider> = {
  'openai, by Responses': {
    wire: openaiResponses,
    model: 'openai/gpt-6.1-sol',
    granted: { provider: 'openai', type: 'openai' },
  },
  'openai, by chat completions': {
    wire: openaiChat,
    model: 'openai-chat/gpt-5.4',
    granted: { provider: 'openai-chat', type: 'openai-chat' },
    thoughtless: true,
  },
  google: {
    wire: gemini,
    model: 'google/gemini-3.1-pro-preview',
    granted: { provider: 'google', type: 'google' },
  },
  'a server like OpenAI’s, without a key': {
    wire: openaiLike,
    model: 'local/llama',
    granted: { provider: 'local', type: 'openai-compatible', apiKey: '' },
  },
};
