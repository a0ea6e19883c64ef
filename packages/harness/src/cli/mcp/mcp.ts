// `mcp`: the tools for an MCP client on stdin and stdout. A client of the home's server like every command; stdout
// carries the protocol and nothing else.
import { ToolyardError } from '@toolyard/sdk';
import { readToken } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';
import { toWorkspace } from '../command-line/values.ts';
import { connect } from '../connection/connect.ts';
import { readLines } from './json-lines.ts';
import { createBridge } from './mcp-bridge.ts';
import { createMcpConnection, type Target } from './mcp-connection.ts';
import { parseMessage, toErrorAnswer } from './mcp-messages.ts';

/** Whoever pipes a few messages in and closes wants their answers. */
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
    // A batch is its messages, one after the other; each gets its own answer.
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
