// One MCP server instance for one client: the tools of its role and nothing else. Never shared between clients.
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { ToolyardError, toFailure } from '@toolyard/sdk';
import type { Toolbox } from '../core/calls/toolbox.ts';
import type { Logger } from '../core/lib/ports.ts';
import { findWorkspace } from '../core/workspace/workspaces.ts';
import type { Caller } from './caller.ts';
import { toMcpTool } from './mcp-tool.ts';
import type { RoleContexts } from './role-contexts.ts';
import type { McpClient, ToolCalls } from './tool-calls.ts';

export interface ServerDeps {
  toolbox: Pick<Toolbox, 'list'>;
  roleContexts: RoleContexts;
  toolCalls: ToolCalls;
  logger: Logger;
  /** Of the package. */
  version: string;
}

const instructions =
  'The tools of a Toolyard home. A call may wait until a person allows it: keep waiting, do not repeat it.';

/** A server and what it is working on. */
export interface ClientServer {
  server: Server;
  /** The requests under way, by the ids that the client gave them. */
  underWay: ReadonlySet<unknown>;
}

export function createServer(mcpClient: McpClient, deps: ServerDeps): ClientServer {
  const { toolCalls, logger, version } = deps;
  const underWay = new Set<unknown>();
  const server = new Server(
    { name: 'toolyard', version },
    {
      capabilities: { tools: {} },
      instructions,
      requestState: { verify: toolCalls.findParked },
    },
  );
  server.onerror = (cause) => logger.info('an MCP client sent an invalid message or disconnected', { cause });
  server.setRequestHandler('tools/list', (_, ctx) => track(ctx, () => listTools(mcpClient.caller, deps)));
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    track(ctx, () => toolCalls.call(server, mcpClient, params, ctx)),
  );
  return { server, underWay };

  async function track<T>({ mcpReq: { id, signal } }: ServerContext, work: () => Promise<T>): Promise<T> {
    underWay.add(id);
    try {
      return await orProtocolError(work(), logger);
    } finally {
      underWay.delete(id);
      mcpClient.onEnded?.(id, signal.aborted ? 'taken back' : 'answered');
    }
  }
}

async function listTools({ cwd, role }: Caller, { toolbox, roleContexts }: ServerDeps) {
  const roleContext = await roleContexts.find(findWorkspace(cwd), role);
  return { tools: toolbox.list(roleContext).map(toMcpTool) };
}

/** What was not thrown on purpose goes to the log, and a neutral sentence out. */
async function orProtocolError<T>(work: Promise<T>, logger: Logger): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    if (!(thrown instanceof ToolyardError)) logger.error('an MCP request failed', { cause: thrown });
    const { code, message, data } = toFailure(thrown);
    throw new ProtocolError(ProtocolErrorCode.InternalError, message, { code, ...data });
  }
}
