// The socket under the app: bounded headers and time, a close that does not wait for idle lines.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { ToolyardError } from '@toolyard/sdk';
import type { Logger } from '../../core/lib/ports.ts';
import { toErrorResponse } from './errors.ts';
import { findPortOwner } from './port-owner.ts';
import { createUpgrades, type Upgrade, type Upgrades } from './upgrade.ts';

export interface Listener {
  host: string;
  port: number;
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** For tests: less patience than a person's server has. */
  limits?: Partial<typeof defaultLimits>;
}

const defaultLimits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 10_000,
  // What a client is told is shorter than what holds: one that is slow to notice must not write to a closed line.
  keepAliveTimeoutBuffer: 20_000,
  maxHeaderSize: 16_384,
};

/** How long a closing server waits for readers that do not read. */
const closeTimeoutMs = 500;

/** What a request on a socket comes with. */
export interface Bindings extends HttpBindings {
  /** Opens the WebSocket that it asks for. */
  upgrade?: Upgrade | undefined;
}

type Fetch = (request: Request, env: Bindings) => Response | Promise<Response>;

export async function listen(
  fetch: Fetch,
  { host, port, limits, logger, payloadBytes }: ListenOptions & { logger: Logger; payloadBytes: number },
): Promise<Listener> {
  const upgrades = createUpgrades({ payloadBytes });
  const withUpgrade = (env: HttpBindings) => ({ ...env, upgrade: upgrades.of(env.incoming) });
  // HTTP/1 only, so the bindings are those.
  const answer = getRequestListener((request, env) => fetch(request, withUpgrade(env as HttpBindings)), {
    overrideGlobalObjects: false,
    errorHandler: (thrown) =>
      toErrorResponse(thrown instanceof RequestError ? noAddress(thrown) : thrown, logger),
  });
  const options = { ...defaultLimits, ...limits, shouldUpgradeCallback: upgrades.isAsked };
  const server = createServer(options, (request, response) => {
    void answer(request, response);
  });
  server.on('upgrade', (request, socket, head) => upgrades.take(request, socket, head, answer));
  await start(server, { host, port });
  server.on('error', (cause) => logger.error('could not accept a connection', { cause }));
  const address = server.address() as AddressInfo; // a TCP server that listens has one
  return { host, port: address.port, close: () => close(server, upgrades) };
}

async function start(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen({ host, port }, resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    throw toListenError(error, host, port);
  });
  server.off('error', reject);
}

function close(server: Server, upgrades: Upgrades): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => {
      server.closeAllConnections();
      upgrades.terminate();
    }, closeTimeoutMs);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
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

function noAddress(cause: RequestError): ToolyardError {
  const message = `The path or Host of this request is not a valid address: ${cause.message}.`;
  return new ToolyardError('invalid_request', message, { cause });
}
