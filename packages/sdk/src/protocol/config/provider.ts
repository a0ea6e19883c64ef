// Who serves models, and by which wire. A person's configuration may add providers to the built-in ones.
import { z } from 'zod';
import { pdfType } from '../content/file.ts';

/** How a provider is spoken to: Anthropic Messages, OpenAI Responses, OpenAI chat completions, Gemini, or a likeness. */
export const ProviderType = z.enum(['anthropic', 'openai', 'openai-chat', 'google', 'openai-compatible']);
export type ProviderType = z.infer<typeof ProviderType>;

export const ProviderName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,31}$/,
    'use 1 to 32 lower-case letters, digits and dashes, starting with a letter',
  );

export const ProviderConfig = z
  .strictObject({
    type: ProviderType.describe('The protocol it speaks'),
    baseUrl: z
      .string()
      .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/, 'use an address such as http://127.0.0.1:11434/v1')
      .optional()
      .describe('Its base URL, as usual for that type'),
    apiKeyEnv: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'name an environment variable, such as MY_API_KEY')
      .optional()
      .describe('The environment variable that contains its key'),
    contextWindow: z
      .int()
      .min(1_024)
      .max(100_000_000)
      .optional()
      .describe('Context window of its models, in tokens'),
  })
  .superRefine(({ type, baseUrl, apiKeyEnv }, context) => {
    const miss = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (type === 'openai-compatible' && !baseUrl) miss('baseUrl', 'set baseUrl: this type needs one');
    // Otherwise the usual key would go to an address it was not made for.
    if (type !== 'openai-compatible' && baseUrl && !apiKeyEnv)
      miss('apiKeyEnv', 'set apiKeyEnv to the variable that contains the key for this address');
  });
export type ProviderConfig = z.infer<typeof ProviderConfig>;

/** What the models behind a wire are never given. Of a likeness of OpenAI nobody knows that it reads files. */
const unread: Record<ProviderType, readonly string[]> = {
  anthropic: [],
  openai: [],
  'openai-chat': [],
  google: ['image/gif'],
  'openai-compatible': [pdfType],
};

/** May an image or a PDF be sent by this wire? Files of text are words, which may always. */
export function isReadable(type: ProviderType, mediaType: string): boolean {
  return !unread[type].includes(mediaType);
}
