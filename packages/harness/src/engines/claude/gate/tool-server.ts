// Our tools inside the CLI: for each process fresh MCP server instances, since one that is shared breaks the second run.
// They list what the session was started with and hand every call to the turn under way.
import type { McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';
import type { Server } from '@modelcontextprotocol/server';
import type { ToolCall, ToolOutcome, ToolSpec } from '@toolyard/sdk';
import { isListed } from './options.ts';

/** Where the CLI says which of the model's calls this is. */
const callIdKey = 'claudecode/toolUseId';

export type RunCall = (call: ToolCall) => Promise<ToolOutcome>;

/** One server for each server name among the tools. The library is loaded with the first: it is large. */
export async function createToolServers(
  tools: readonly ToolSpec[],
  { version, runCall }: { version: string; runCall: RunCall },
): Promise<Record<string, McpSdkServerConfigWithInstance>> {
  const library = await import('@modelcontextprotocol/server');
  const byServer = Map.groupBy(tools, ({ name }) => splitName(name).server);
  return Object.fromEntries(
    [...byServer].map(([name, own]) => {
      const server = new library.Server({ name, version }, { capabilities: { tools: {} } });
      const instance = offer(server, { name, tools: own, runCall });
      // The SDK names the class of its older peer; it uses only `connect` and `close`, which are the same.
      return [name, { type: 'sdk', name, instance: instance as never, alwaysLoad: isListed(tools) }];
    }),
  );
}

interface Offer {
  name: string;
  tools: readonly ToolSpec[];
  runCall: RunCall;
}

function offer(server: Server, { name, tools, runCall }: Offer): Server {
  const listed = tools.map(({ name: full, description, inputSchema }) => ({
    name: splitName(full).tool,
    description,
    // Every input schema is made from a zod object.
    inputSchema: inputSchema as { type: 'object' },
    // The CLI runs only such calls side by side. It decides nothing else by it: consent is the gate's.
    annotations: { readOnlyHint: true },
  }));
  server.setRequestHandler('tools/list', () => ({ tools: listed }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const id = params._meta?.[callIdKey];
    const call = {
      id: typeof id === 'string' ? id : '',
      name: `mcp__${name}__${params.name}`,
      input: params.arguments ?? {},
    };
    const { text, isError } = await runCall(call);
    return { content: [{ type: 'text', text }], isError };
  });
  return server;
}

function splitName(full: string): { server: string; tool: string } {
  const [, server = '', ...tool] = full.split('__');
  return { server, tool: tool.join('__') };
}
