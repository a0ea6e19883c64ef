// The peer of the native tool turn: the AI SDK's own loop, with the same provider, endpoint, instructions, tools and
// prompt. Nothing is judged, stored or streamed on.
import { createAnthropic } from '@ai-sdk/anthropic';
import type { ToolInfo } from '@toolyard/sdk';
import { isStepCount, jsonSchema, streamText, tool } from 'ai';

export interface BareLoopOptions {
  modelUrl: string;
  model: string;
  instructions: string;
  tools: readonly ToolInfo[];
}

/** One message, its tool call, the final text. Resolves to that text. */
export function createBareLoop(options: BareLoopOptions): (prompt: string) => Promise<string> {
  const anthropic = createAnthropic({ baseURL: `${options.modelUrl}/v1`, apiKey: 'bench' });
  const model = anthropic(options.model.replace(/^anthropic\//, ''));
  const tools = Object.fromEntries(
    options.tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema), execute: async () => pong() }),
    ]),
  );
  return async (prompt) => {
    const { instructions } = options;
    const { stream } = streamText({ model, instructions, prompt, tools, stopWhen: isStepCount(50) });
    let text = '';
    for await (const part of stream) {
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'error') throw part.error;
    }
    return text;
  };
}

function pong() {
  return { status: 'pong', timestamp: new Date().toISOString(), server: 'toolyard' };
}
