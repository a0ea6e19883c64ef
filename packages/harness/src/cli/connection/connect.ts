// Finds the server of a home or starts it. Every command is a client of that one server.

import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Client, createClient, pause, ToolyardError } from '@toolyard/sdk';
import { readServerFile, readToken, resolveHome } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';
import { toWorkspace } from '../command-line/values.ts';
import { program } from '../terminal/program.ts';
import { idleExitSeconds, type Launch, launchServer } from './background.ts';

const healthTimeoutMs = 2_000;
const startTimeoutMs = 15_000;
/** How long to wait for the server that owns the home before trying another start. */
const otherServerTimeoutMs = 1_500;

export interface Connection {
  client: Client;
  /** A client whose requests have no timeout. */
  clientWithoutTimeout: Client;
  home: string;
  url: string;
  /** This command started the server. */
  started: boolean;
}

type Caller = Pick<Call, 'env' | 'terminal'>;

/** A client of the home's server, which is started when none answers. */
export async function connect({ env, terminal }: Caller): Promise<Connection> {
  const home = resolveHome(env);
  const { url, started } = (await findServer(home)) ?? (await startServer(home, { env, terminal }));
  if (started) {
    const minutes = idleExitSeconds / 60;
    const notice = `Started a server in the background at ${url} (stops after ${minutes} minutes idle).`;
    terminal.err.line(terminal.err.paint('dim', notice));
  }
  const token = await readToken(home, env);
  const to = { baseUrl: url, via: 'terminal', ...(token && { token }) };
  const clientWithoutTimeout = createClient({ ...to, fetch: fetchWithoutTimeout });
  return { client: createClient(to), clientWithoutTimeout, home, url, started };
}

type Found = Pick<Connection, 'url' | 'started'>;

/** The server that the home's file names, if the process that answers has the same pid. */
async function findServer(home: string): Promise<Found | undefined> {
  const file = await readServerFile(home);
  if (!file) return undefined;
  const client = createClient({ baseUrl: file.url });
  const health = await client.health(AbortSignal.timeout(healthTimeoutMs)).catch(() => undefined);
  // After a crash another home's server may have taken the port: the pid tells them apart.
  return health?.pid === file.pid ? { url: file.url, started: false } : undefined;
}

async function startServer(home: string, { env, terminal }: Caller): Promise<Found> {
  const workspace = toWorkspace(undefined, env);
  const deadline = Date.now() + startTimeoutMs;
  let anyPort = false;
  let launch: Launch = { silent: '' };
  while (Date.now() < deadline) {
    launch = await launchServer({
      home,
      workspace,
      env,
      anyPort,
      timeoutMs: deadline - Date.now(),
      onBusy: (message) => terminal.err.line(terminal.err.paint('dim', message)),
    });
    if ('url' in launch) return { url: launch.url, started: true };
    if ('silent' in launch) break;
    if (launch.error.code === 'port_in_use' && !anyPort) anyPort = true;
    else if (launch.error.code === 'home_in_use') {
      const winner = await waitForServer(home, Math.min(deadline, Date.now() + otherServerTimeoutMs));
      if (winner) return winner;
    } else break;
  }
  throw toStartError(launch);
}

/** The home's server, as soon as it answers. */
export async function waitForServer(home: string, deadline: number): Promise<Found | undefined> {
  while (Date.now() < deadline) {
    const found = await findServer(home);
    if (found) return found;
    await pause(50);
  }
  return undefined;
}

function toStartError(launch: Launch): ToolyardError {
  if ('error' in launch) {
    const { code, message, data } = launch.error;
    return new ToolyardError(code, message, data ? { data } : {});
  }
  const tail = 'silent' in launch && launch.silent ? `\nIts log ends with:\n${launch.silent}` : '';
  const why = `A server was started but did not answer. To see why, run: ${program} serve`;
  return new ToolyardError('server_unreachable', `${why}${tail}`);
}

/**
 * `fetch` for a request that may wait for a person. The built-in `fetch` times out after five minutes; this one waits
 * until the server answers or the signal aborts. Reads whole answers, not streams.
 */
async function fetchWithoutTimeout(asked: Request): Promise<Response> {
  const { url, method, headers, signal } = asked;
  const body = Buffer.from(await asked.arrayBuffer());
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, headers: Object.fromEntries(headers), signal }, resolve);
    // TCP keep-alive detects a server that is gone without closing the connection.
    sent.on('error', reject).on('socket', (socket) => socket.setKeepAlive(true, 30_000));
    sent.end(body);
  });
  const type = answer.headers['content-type'] ?? '';
  return new Response(new Uint8Array(await buffer(answer)), {
    status: answer.statusCode ?? 500,
    headers: { 'content-type': type },
  });
}
