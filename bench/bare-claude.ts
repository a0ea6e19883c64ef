// The peer of the Claude engine: the official SDK as its documents show it, with one in-process tool. Nothing is judged,
// stored or streamed on.
import { createSdkMcpServer, query, type SDKUserMessage, tool } from '@anthropic-ai/claude-agent-sdk';

export interface BareClaudeOptions {
  modelUrl: string;
  model: string;
  home: string;
  cwd: string;
  instructions: string;
  /** The CLI's own tools, as the engine offers them. */
  builtIns: string[];
}

function toOptions({ modelUrl, model, home, cwd, instructions, builtIns }: BareClaudeOptions) {
  const ping = tool('ping', 'Answers pong.', {}, async () => ({
    content: [
      { type: 'text', text: JSON.stringify({ status: 'pong', timestamp: new Date().toISOString() }) },
    ],
  }));
  return {
    cwd,
    model,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'bench',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    systemPrompt: { type: 'preset', preset: 'claude_code', append: instructions } as const,
    tools: builtIns,
    mcpServers: { toolyard: createSdkMcpServer({ name: 'toolyard', tools: [ping], alwaysLoad: true }) },
    allowedTools: ['mcp__toolyard__ping'],
    settingSources: [],
    strictMcpConfig: true,
    includePartialMessages: true,
  };
}

/** A new `query()`: milliseconds to the first event of the answer. */
export async function coldFirstEvent(options: BareClaudeOptions, prompt: string): Promise<number> {
  const startedAt = performance.now();
  const answer = query({ prompt, options: toOptions(options) });
  let first: number | undefined;
  for await (const message of answer) {
    if (message.type === 'stream_event') first ??= performance.now() - startedAt;
    if (message.type === 'result' && message.is_error) throw new Error('the bare query went wrong');
  }
  return first ?? Number.NaN;
}

/** One process that stays: each call sends a message and gives the milliseconds to its result. */
export function openBareClaude(options: BareClaudeOptions): {
  turn(prompt: string): Promise<number>;
  close(): void;
} {
  const inbox = new TransformStream<SDKUserMessage, SDKUserMessage>();
  const writer = inbox.writable.getWriter();
  const answers = query({ prompt: inbox.readable, options: toOptions(options) });
  return {
    async turn(prompt) {
      const startedAt = performance.now();
      const message = { role: 'user', content: prompt } as const;
      void writer.write({ type: 'user', message, parent_tool_use_id: null });
      for (;;) {
        const { value } = await answers.next();
        if (value?.type === 'result') return performance.now() - startedAt;
        if (!value) throw new Error('the bare query has ended');
      }
    },
    close: () => answers.close(),
  };
}
