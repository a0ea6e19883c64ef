// `mcp`: serves the tools to an MCP client over stdin and stdout. Like every command it is a client of the home's
// server; stdout carries only the protocol.
import { ToolyardError } from '@toolyard/sdk';
import { readToken } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';
import { toWorkspace } from '../command-line/values.ts';
import { connect } from '../connection/connect.ts';
import { readLines } from './json-lines.ts';
import { createBridge } from './mcp-bridge.ts';
import { createMcpConnection, type Target } from './mcp-connection.ts';
import { parseMessage, toErrorAnswer } from './mcp-messages.ts';

/** A client that pipes in a few messages and closes stdin still expects the answers. */
const finishTimeoutMs = 5_000;

export async function serveMcp(call: Call): Promise<number> {
  const write = (message: unknown) => call.terminal.out.line(JSON.stringify(message));
  const bridge = createBridge(createMcpConnection({ open: () => openTarget(call), onMessage: write }), write);
  const take = (value: unknown) => {
    const message = parseMessage(value);
    if (message) bridge.take(message);
    else write(toErrorAnswer(undefined, 'This is not a JSON-RPC message.', -32600));
  };
  const closing = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => closing.abort());
  for await (const line of readLines(process.stdin, closing.signal)) {
    if ('problem' in line) write(toErrorAnswer(undefined, line.problem, -32700));
    // The messages of a batch are handled in order; each gets its own answer.
    else for (const value of Array.isArray(line.value) ? line.value : [line.value]) take(value);
  }
  await bridge.close(closing.signal.aborted ? 0 : finishTimeoutMs);
  return 0;
}

async function openTarget(call: Call): Promise<Target> {
  const { url, home } = await connect(call);
  const token = await readToken(home, call.env);
  if (!token) throw new ToolyardError('unauthorized', `There is no token in ${home}. Set TOOLYARD_TOKEN.`);
  const at = new URL('/mcp', url);
  at.searchParams.set('cwd', toWorkspace(undefined, call.env));
  if (call.options.role) at.searchParams.set('role', call.options.role);
  return { url: at, token };
}
