// The socket under the app: bounded headers and time, one Host header, a close that does not wait for idle lines.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ToolyardError } from '@toolyard/sdk';
import { findPortOwner } from './port-owner.ts';

export interface Listener {
  host: string;
  port: number;
  close(): Promise<void>;
}

const limits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 10_000,
  maxHeaderSize: 16_384,
};

export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer(limits, (request, response) => {
    if (hasOneHost(request)) void answer(request, response);
    else refuse(response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, host, port)));
    server.listen({ host, port }, resolve);
  });
  const address = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    host,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 2_000).unref();
      }),
  };
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): ToolyardError {
  if (error.code === 'EADDRINUSE') {
    const owner = findPortOwner(port);
    const who = owner ? `${owner.command} (pid ${owner.pid})` : 'another program';
    const hint = 'Stop it, or choose another port with --port (0 picks a free one).';
    return new ToolyardError('port_in_use', `Port ${port} is in use by ${who}. ${hint}`, {
      data: { port, ...owner },
    });
  }
  const reason = `Cannot listen on ${host}:${port}: ${error.message}. Choose another with --host and --port.`;
  return new ToolyardError('invalid_request', reason, { cause: error });
}

/** Two Host headers are a smuggling attempt; none is no browser. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length === 1;
}

function refuse(response: ServerResponse): void {
  const { code, message } = new ToolyardError('forbidden_host', 'Send exactly one Host header.');
  response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ error: { code, message } }));
}
