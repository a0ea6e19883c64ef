// The scripted model's server: Anthropic's Messages API on loopback, answered by scenario rules. Keeps nothing of
// what it is sent.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { ToolyardError } from '@toolyard/sdk';
import { answerRequest, pathOf } from './answer-request.ts';
import { createId } from './reply/reply.ts';
import { createFaultCounts } from './scenarios/fault-counts.ts';
import { loadScenario, scenarioPaths, toRules } from './scenarios/load-scenario.ts';
import type { Rule, Scenario } from './scenarios/scenario.ts';

export interface RehearsalOptions {
  /** Asked in this order, before those of `scenarioPath`. */
  scenarios?: Scenario[];
  /** A scenario file, or a folder of them. With no scenario at all the default one is used. */
  scenarioPath?: string;
  /** Default: any free port. */
  port?: number;
  /** Default: loopback. */
  host?: string;
}

export interface Rehearsal {
  /** Without `/v1`, as ANTHROPIC_BASE_URL wants it. */
  readonly url: string;
  /** Messages asked for so far, refused ones included. */
  requests(): number;
  /** Answers under way. */
  active(): number;
  /** Cuts what is under way and frees the port. Safe to call twice. */
  close(): Promise<void>;
}

/** A reader that takes nothing for this long is gone. */
const stalledMs = 900_000;

/** Resolves once it listens. Throws `invalid_config` for a wrong scenario, `port_in_use` for a taken port. */
export async function serveRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const rules = await createRules(options);
  const script = { rules, counts: createFaultCounts() };
  let requests = 0;
  let active = 0;
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 15_000 }, (request, response) => {
    if (request.method === 'POST' && pathOf(request) === '/v1/messages') requests++;
    active++;
    const closing = new AbortController();
    response.once('close', () => closing.abort());
    response.setHeader('request-id', createId('req'));
    void answerRequest(script, request, response, closing.signal).finally(() => {
      active--;
    });
  });
  server.setTimeout(stalledMs);
  // As patient as the service: a client that finds its line cut waits before it tries again.
  server.keepAliveTimeout = stalledMs;
  const url = await listen(server, options);
  return { url, requests: () => requests, active: () => active, close: () => close(server) };
}

/** A person's own scenario is read at once, to be refused before the port is open; the shipped one when needed. */
async function createRules({
  scenarios = [],
  scenarioPath,
}: RehearsalOptions): Promise<() => Promise<Rule[]>> {
  const isShipped = scenarios.length === 0 && scenarioPath === undefined;
  const load = async () => {
    const path = isShipped ? scenarioPaths.default : scenarioPath;
    const loaded = path === undefined ? [] : [await loadScenario(path)];
    return [...scenarios, ...loaded].flatMap(toRules);
  };
  let rules = isShipped ? undefined : Promise.resolve(await load());
  return () => {
    rules ??= load();
    return rules;
  };
}

async function listen(server: Server, { port = 0, host = '127.0.0.1' }: RehearsalOptions): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    if (!isTaken) throw cause;
    const message = `Port ${port} on ${host} is in use by another program. Stop it, or choose another port.`;
    throw new ToolyardError('port_in_use', message, { data: { port, host }, cause });
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
