// The library: a yard inside a program, without a port. The calls are those of the HTTP client, carried to the same
// routes by function calls; what a route cannot do, the library cannot do either.

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Client,
  createClient,
  type HandledClient,
  ToolyardError,
  withSessionHandles,
} from '@toolyard/sdk';
import { openYard, type Yard } from '../app.ts';
import { resolveHome } from '../core/files/home.ts';
import { silentLogger } from '../core/operator-log/logger.ts';
import { toErrorResponse } from '../http/server/errors.ts';
import { portOf } from './environment.ts';
import { checkOptions, type ToolyardOptions } from './library-options.ts';

export type { HookedCall, Hooks, HookVerdict } from '../core/calls/hooks.ts';
export type { Logger } from '../core/lib/ports.ts';
export type { RoleDefinition, ToolyardOptions } from './library-options.ts';

/** Everything that the HTTP client has, and the yard itself. Closed at the end of its `await using` block. */
export interface Toolyard extends HandledClient, AsyncDisposable {
  readonly home: string;
  /** The person's token: whoever has it may do everything. */
  readonly token: string;
  /** The scripted model answers. */
  readonly rehearsing: boolean;
  /** The HTTP app without a socket: answers what `/api/…` and `/mcp` are asked, with the token and all guards. */
  fetch(request: Request): Promise<Response>;
  /** Serves HTTP on a port (default: as configured) and leaves word in the home, so that commands find it. */
  listen(at?: { host?: string; port?: number }): Promise<{ url: string; host: string; port: number }>;
  /** Ends turns and processes, saves, and gives the home back. */
  close(): Promise<void>;
}

/** Opens a home, or makes one. Rejects with one sentence when an option is wrong or the home is in use. */
export async function createToolyard(options: ToolyardOptions = {}): Promise<Toolyard> {
  const { roles } = await checkOptions(options);
  if (options.scenario)
    await (await import('../rehearsal/scenarios/load-scenario.ts')).loadScenario(options.scenario);
  const { env = process.env, config: overlay, onLost, ...rest } = options;
  const home = resolve(options.home ?? resolveHome(env));
  const releaseHome = claimHome(home);
  try {
    const yard = await openYard({
      ...rest,
      home,
      env,
      roles,
      ...(overlay && { overlay }),
      ...(onLost && { onFatal: onLost }),
    });
    return toToolyard(yard, { home, env, releaseHome });
  } catch (thrown) {
    releaseHome();
    throw thrown;
  }
}

interface Place {
  home: string;
  env: NodeJS.ProcessEnv;
  releaseHome(): void;
}

function toToolyard(yard: Yard, { home, env, releaseHome }: Place): Toolyard {
  let url: string | undefined;
  let closing: Promise<void> | undefined;
  const fetch: Toolyard['fetch'] = async (request) => (closing ? toClosed() : yard.fetch(request));
  const client = createClient({
    token: yard.token,
    fetch,
    get baseUrl() {
      return url ?? 'http://127.0.0.1';
    },
  });
  const { config, token, rehearsing } = yard;
  const close = () => {
    closing ??= yard.close().finally(releaseHome);
    return closing;
  };
  return {
    ...withSessionHandles(needPort(client, () => url !== undefined)),
    home,
    token,
    rehearsing,
    fetch,
    close,
    async listen({ host = config.server.host, port = portOf(env, config) } = {}) {
      if (closing) throw closed();
      if (url) throw new ToolyardError('invalid_request', `This yard already listens at ${url}.`);
      const at = await yard.listen({ host, port });
      url = at.url;
      return at;
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A WebSocket and a link for a browser lead to a port: without one they would lead to somebody else's. */
function needPort(client: Client, isListening: () => boolean): Client {
  const requirePort = (what: string) => {
    if (isListening()) return;
    throw new ToolyardError('invalid_request', `${what} needs a port. Call listen() of the yard first.`);
  };
  return {
    ...client,
    socket() {
      requirePort('A WebSocket');
      return client.socket();
    },
    async createLoginLink() {
      requirePort('A login link');
      return client.createLoginLink();
    },
  };
}

function closed(): ToolyardError {
  return new ToolyardError('closed', 'This yard is closed. Open another one with createToolyard.');
}

function toClosed(): Response {
  return toErrorResponse(closed(), silentLogger);
}

/**
 * The homes that yards of this very program hold. The lease in the database keeps other processes out; to it, two yards
 * of one process would look like one that was started anew.
 */
const held = new Set<string>();

/** Throws `home_in_use` while another yard of this program holds it. Returns how to give it back. */
function claimHome(home: string): () => void {
  const place = toRealPath(home);
  if (held.has(place)) {
    const hint = 'Use that one, or close it first.';
    throw new ToolyardError('home_in_use', `This program already has a yard open in ${home}. ${hint}`, {
      data: { pid: process.pid, home },
    });
  }
  held.add(place);
  return () => void held.delete(place);
}

/** By whatever name; a home that is still to be made has only one. */
function toRealPath(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return resolve(home);
  }
}
