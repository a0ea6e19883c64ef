// The composition root: the one file that knows everyone. It wires, and decides nothing.

import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Client,
  type Config,
  createClient,
  type Engine,
  type Health,
  type Role,
  type Store,
  type Toolkit,
  ToolyardError,
} from '@toolyard/sdk';
import { createUpgradeGuard, enterHome } from './app/backup.ts';
import { version } from './app/home.ts';
import { type LogEntry, type Logs, openLogs } from './app/logs.ts';
import { findOwnModels, type OwnModels } from './app/model-access.ts';
import { createBackups } from './core/backup/backups.ts';
import { type ConfigInput, overlayConfig, readConfig } from './core/config.ts';
import { type Core, createCore } from './core/core.ts';
import { ensureToken, prepareHome, removeServerFile, writeServerFile } from './core/home.ts';
import type { Hooks } from './core/hooks.ts';
import type { Clock, Logger, Reach } from './core/ports.ts';
import { createTraces, type Traces } from './core/traces.ts';
import { withUsualModel } from './core/usual-model.ts';
import { isClaudeModel } from './engines/claude/check-model.ts';
import { createClaudeEngine } from './engines/claude/engine.ts';
import { isSdkInstalled } from './engines/claude/sdk.ts';
import { createNativeEngine } from './engines/native/engine.ts';
import { createRegistry, type EngineRegistry } from './engines/registry.ts';
import { createHttpApp } from './http/app.ts';
import { type Listener, type ListenOptions, listen } from './http/listen.ts';
import { type ReaderLimits, shippedReaderLimits } from './http/reader-limits.ts';
import { createReaderList } from './http/readers.ts';
import { createMcp } from './mcp/serve.ts';
import type { Rehearsal, RehearsalOptions } from './rehearsal/serve.ts';
import { openSandbox } from './sandbox/sandbox.ts';
import { openStore } from './store/open.ts';
import { writeBackup } from './store/write-backup.ts';
import { serverToolkit } from './tools/server.ts';
import { sessionsToolkit } from './tools/sessions.ts';

export interface YardOptions {
  home: string;
  env: NodeJS.ProcessEnv;
  /** Directory of sessions that name none. */
  workspace?: string;
  /** Written over the home's own configuration. */
  overlay?: ConfigInput;
  /** Roles beside those that ship and those of the home. */
  roles?: readonly Role[];
  /** Use the scripted model even when a key is there. */
  rehearse?: boolean;
  /** What the scripted model says: a scenario file, or a folder of them. */
  scenario?: string;
  /** Write down what goes between engines and their own programs, for every session. */
  trace?: boolean;
  /** Another process took this home over, so this one must stop. */
  onFatal?: (error: ToolyardError) => void;
  /** Hears that the database is upgraded, which may take its time. */
  onUpgrade?: (said: string) => void;
  /** For tests: another engine in place of the built-in ones, a store with faults, further toolkits, crash points. */
  engine?: Engine;
  hooks?: Hooks;
  wrapStore?: (store: Store) => Store;
  /** The most pages the database may have: a small disk. */
  maxPages?: number;
  toolkits?: readonly Toolkit[];
  /** Less patience with readers than a person's server has. */
  readerLimits?: Partial<ReaderLimits>;
  reach?: Reach;
  /** In place of the files in the home. */
  logger?: Logger;
  /** Hears what is logged, as data and as a line: for a terminal. */
  onLog?: (entry: LogEntry, line: string) => void;
}

export interface Yard {
  config: Config;
  token: string;
  rehearsing: boolean;
  /** Opens the door on a socket and leaves word of it in the home. */
  listen(at: ListenOptions): Promise<{ url: string; host: string; port: number }>;
  /** The same door without a socket. */
  fetch(request: Request): Promise<Response>;
  client(): Client;
  activity(): { idleSince: number | undefined };
  /** Refuses new work, ends turns, lets readers go, flushes and gives up the home. */
  close(): Promise<void>;
}

const clock: Clock = { now: () => Date.now() };

/** Opens a home: its store, what the last run left behind, every part wired. Ready to serve when it resolves. */
export async function openYard(options: YardOptions): Promise<Yard> {
  await prepareHome(options.home);
  const entered = await enterHome(options.home, options.reach);
  return await openEntered(options).finally(() => entered.release());
}

async function openEntered(options: YardOptions): Promise<Yard> {
  const { home, env } = options;
  const config = completeConfig(options, (await readConfig(home)).config);
  const token = await ensureToken(home, env);
  const logs = openLogs({ home, env, config, token, clock, logger: options.logger, onLog: options.onLog });
  const { logger } = logs;
  const lost = new AbortController();
  const store = await openStore({
    path: join(home, 'toolyard.db'),
    clock,
    owner: { pid: process.pid, host: hostname() },
    onLost: (error) => {
      lost.abort();
      options.onFatal?.(error);
    },
    ...(options.reach && { reach: options.reach }),
    ...(options.maxPages && { maxPages: options.maxPages }),
    beforeUpgrade: createUpgradeGuard(home, logger, options.onUpgrade),
  });
  // The home is ours now, so what a killed server left running in its name may be ended.
  const sandbox = openSandbox({ home, env, logger });
  sandbox.catch((cause: unknown) => logger.error('leftover processes could not be looked for', { cause }));
  const model = findOwnModels({
    ...{ env, config, clock, rehearse: options.rehearse ?? false },
    serveRehearsal: () => serveRehearsal(options.scenario ? { scenarioPath: options.scenario } : {}),
  });
  const wrapped = options.wrapStore?.(store) ?? store;
  const parts = { options, config, token, store: wrapped, logger, logs, lost: lost.signal, model, sandbox };
  const yard = await buildOrLeave(parts);
  await yard.recover().catch(async (thrown) => {
    await yard.close();
    throw thrown;
  });
  return yard;
}

/** What cannot be built, such as two tools of one name, leaves the home as free as it was. */
async function buildOrLeave(parts: Parts): Promise<ReturnType<typeof build>> {
  try {
    return build(parts);
  } catch (thrown) {
    await parts.sandbox.then((opened) => opened.close()).catch(() => {});
    await parts.store.close();
    await parts.logs.close();
    throw thrown;
  }
}

interface Parts {
  options: YardOptions;
  config: Config;
  token: string;
  store: Store;
  logger: Logger;
  logs: Logs;
  lost: AbortSignal;
  model: OwnModels;
  sandbox: ReturnType<typeof openSandbox>;
}

function build(parts: Parts): Yard & { recover(): Promise<void> } {
  const { options, config, token, store, model } = parts;
  const server: { listener?: Listener } = {};
  const traces = createTraces({
    ...{ clock, logger: parts.logger, all: options.trace ?? false, folder: join(options.home, 'traces') },
    redact: parts.logs.redact,
  });
  const engines = createEngines(parts, traces);
  const core = buildCore(
    parts,
    { engines, traces },
    () => server.listener?.port ?? portOf(options.env, config),
  );
  const backups = createBackups({
    ...{ home: options.home, version, store, clock, config, logger: parts.logger, writeBackup },
  });
  const mcp = createMcp({ ...core, clock, version });
  const readers = createReaderList();
  const readerLimits = { ...shippedReaderLimits, ...options.readerLimits };
  core.principals.onRevoked((id) => {
    readers.dismiss(id);
    mcp.dismiss(id);
  });
  const startedAt = clock.now();
  let lastBusy = startedAt;
  const app = createHttpApp({
    ...core,
    backups,
    readers,
    readerLimits,
    version,
    pageFolder: fileURLToPath(new URL('../dist/web', import.meta.url)),
    listenHost: () => server.listener?.host ?? config.server.host,
    health: () => toHealth(model.rehearsing),
    diagnose: async () => (await import('./app/doctor.ts')).diagnoseAside(options.home, options.env),
    mcp: mcp.handle,
  });
  const fetch = async (request: Request, env?: object) => {
    lastBusy = clock.now();
    return app.fetch(request, env);
  };
  const stop = async () => {
    const ended = Promise.all([mcp.close(), backups.close(), core.close()]);
    if (server.listener) await removeServerFile(options.home, process.pid);
    await ended;
    readers.close();
    await server.listener?.close();
    await engines.close();
    await model.close();
    await parts.sandbox.then((opened) => opened.close()).catch(() => {});
    await store.close();
    parts.logger.info('the server has stopped', { pid: process.pid });
    await parts.logs.close();
  };
  let closing: Promise<void> | undefined;

  return {
    config,
    token,
    rehearsing: model.rehearsing,
    fetch,
    client: () => createClient({ baseUrl: 'http://127.0.0.1', token, fetch }),
    recover: core.recover,
    async listen(at) {
      requireOwnToken(at.host, options.env);
      server.listener = await listen(fetch, {
        ...{ ...at, logger: parts.logger, payloadBytes: readerLimits.payloadBytes },
      });
      const { host, port } = server.listener;
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
      await writeServerFile(options.home, {
        pid: process.pid,
        url,
        startedAt: new Date(startedAt).toISOString(),
      });
      parts.logger.info('the server listens', { url, version, pid: process.pid, home: options.home });
      return { url, host, port };
    },
    activity() {
      const isBusy = core.isBusy() || backups.isBusy() || readers.count() > 0 || mcp.isBusy();
      if (isBusy) lastBusy = clock.now();
      return { idleSince: isBusy ? undefined : lastBusy };
    },
    close: () => {
      closing ??= stop();
      return closing;
    },
  };
}

/** What a file says, with what the program around the yard and the environment add. */
function completeConfig({ overlay, env }: YardOptions, said: Config): Config {
  return withUsualModel(overlayConfig(said, overlay), env);
}

/** Beyond this machine, the token must be one that the operator chose. */
function requireOwnToken(host: string, env: NodeJS.ProcessEnv): void {
  if (['127.0.0.1', '::1', 'localhost'].includes(host) || env.TOOLYARD_TOKEN) return;
  const how = 'Set TOOLYARD_TOKEN to a long secret of your own, or listen on 127.0.0.1.';
  throw new ToolyardError('invalid_config', `Listening on ${host} lets other machines in. ${how}`);
}

function buildCore(
  parts: Parts,
  { engines, traces }: { engines: EngineRegistry; traces: Traces },
  port: () => number,
): Core {
  const { options, config, token, store, logger, lost, model } = parts;
  const { home, env } = options;
  return createCore({
    ...{ store, config, clock, logger, lost, home, env },
    reach: options.reach ?? (() => {}),
    hooks: options.hooks ?? {},
    shippedFolder: join(import.meta.dirname, '..', 'roles'),
    completeConfig: (said) => completeConfig(options, said),
    givenConfig: () => new Map(port() === config.server.port ? [] : [['server.port', port()]]),
    givenRoles: options.roles ?? [],
    outputsFolder: join(home, 'outputs'),
    redact: parts.logs.redact,
    ownerToken: token,
    defaultCwd: options.workspace ?? workspaceOf(env),
    rehearsing: model.rehearsing,
    models: model.models,
    traces,
    findEngine: engines.find,
    engines: engines.all,
    toolkits: ({ sessions, outputs, search }) => [
      serverToolkit({
        ...{ version, port, readOutput: outputs.read },
        now: () => new Date(),
        uptimeSeconds: () => process.uptime(),
      }),
      sessionsToolkit({
        countSessions: sessions.count,
        listActiveSessions: sessions.active,
        getSession: sessions.open,
        search,
      }),
      ...(options.toolkits ?? []),
    ],
  });
}

/** Claude drives when it can reach a model of the person's own; the native engine always can rehearse. */
function createEngines({ options, config, model, sandbox }: Parts, traces: Traces) {
  const only = options.engine;
  if (only) return createRegistry([only], () => only);
  const { resolve: access, check: checkModel } = model.models;
  const native = createNativeEngine({ access, checkModel });
  const claude = createClaudeEngine({
    ...{ env: options.env, config: config.claude, streamTimeoutMs: config.mcp.streamTimeout, version },
    hidden: [options.home],
    spawn: async (spec) => (await sandbox).spawn(spec),
    access: model.claudeAccess,
    tapOf: traces.tapOf,
  });
  const byClaude = model.hasAnthropic && isSdkInstalled();
  const auto = (name = '') => (byClaude && isClaudeModel(name) ? claude : native);
  return createRegistry([native, claude], auto);
}

function toHealth(rehearsing: boolean): Health {
  return {
    ok: true,
    product: 'Toolyard',
    version,
    pid: process.pid,
    rehearsing,
    uptimeSeconds: Math.floor(process.uptime()),
  };
}

export function portOf(env: NodeJS.ProcessEnv, config: Config): number {
  const port = env.TOOLYARD_PORT === undefined ? config.server.port : Number(env.TOOLYARD_PORT);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new ToolyardError(
    'invalid_config',
    `TOOLYARD_PORT is "${env.TOOLYARD_PORT}"; use a number from 0 to 65535.`,
  );
}

/** Where the person called the command from. */
export function workspaceOf(env: NodeJS.ProcessEnv): string {
  return resolve(env.TOOLYARD_WORKSPACE || env.INIT_CWD || process.cwd());
}

/** Loaded when it is needed: a server with a key has no use for the scripted model. */
export async function serveRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  return (await import('./rehearsal/serve.ts')).serveRehearsal(options);
}
