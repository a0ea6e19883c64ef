// The names this folder gives to the types of the AI SDK's provider specification. Types only: each provider's code is
// loaded by its wire.
import type { AnthropicProvider } from '@ai-sdk/anthropic';

/** A model as the AI SDK's provider specification has it: one call, one step. */
export type Model = ReturnType<AnthropicProvider['languageModel']>;
export type CallOptions = Parameters<Model['doStream']>[0];
export type Message = CallOptions['prompt'][number];
export type ModelTools = NonNullable<CallOptions['tools']>;
export type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number];
export type UserPart = Extract<Message, { role: 'user' }>['content'][number];
export type ProviderOptions = NonNullable<AssistantPart['providerOptions']>;
type StreamOf<Result> = Result extends { stream: ReadableStream<infer Part> } ? Part : never;
export type StreamPart = StreamOf<Awaited<ReturnType<Model['doStream']>>>;
