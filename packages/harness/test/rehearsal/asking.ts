// Asks a rehearsal over plain HTTP, as any client would. Knows nothing of how it answers.
import { readSse } from '@toolyard/sdk';
import { parseScenario } from '../../src/rehearsal/scenarios/load-scenario.ts';
import { type Rehearsal, serveRehearsal } from '../../src/rehearsal/serve.ts';

export interface Ask {
  messages: unknown[];
  tools?: string[];
  stream?: boolean;
  signal?: AbortSignal;
}

export interface StreamEvent {
  type: string;
  [key: string]: unknown;
}

export function user(content: unknown) {
  return { role: 'user', content };
}

export function assistant(content: unknown) {
  return { role: 'assistant', content };
}

export function toolUse(id: string, name: string, input: unknown = {}) {
  return { type: 'tool_use', id, name, input };
}

export function toolResult(id: string, content: unknown, isError = false) {
  return { type: 'tool_result', tool_use_id: id, content, is_error: isError };
}

/** Serves a scenario written in the test. */
export function serveText(yaml: string): Promise<Rehearsal> {
  return serveRehearsal({ scenarios: [parseScenario(yaml, 'test.yaml')] });
}

export function post(url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

export function ask(url: string, { messages, tools = [], stream = false, signal }: Ask): Promise<Response> {
  const offered = tools.map((name) => ({ name, description: 'A tool', input_schema: { type: 'object' } }));
  return post(url, { model: 'claude-test', max_tokens: 1_000, messages, tools: offered, stream }, signal);
}

/** The events of a streamed answer. */
export async function streamEvents(url: string, asked: Ask): Promise<StreamEvent[]> {
  const response = await ask(url, { ...asked, stream: true });
  if (!response.ok || !response.body) throw new Error(`status ${response.status}: ${await response.text()}`);
  const events: StreamEvent[] = [];
  for await (const { data } of readSse(response.body)) events.push(JSON.parse(data));
  return events;
}

/** The content of a whole answer. */
export async function content(url: string, asked: Ask): Promise<unknown> {
  const message: { content?: unknown } = JSON.parse(await (await ask(url, asked)).text());
  return message.content;
}

/** The answer to a few words: its text, or its calls by name and input. */
export async function say(url: string, words: string, tools: string[] = []): Promise<unknown> {
  return simplify(await content(url, { messages: [user(words)], tools }));
}

export function simplify(blocks: unknown): unknown {
  if (!Array.isArray(blocks)) return blocks;
  return blocks.map((block) => {
    if (block.type === 'tool_use') return { call: block.name, input: block.input };
    return block.type === 'text' ? block.text : { thinking: block.thinking };
  });
}
