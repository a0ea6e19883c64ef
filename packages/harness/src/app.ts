// The composition root: the one file that knows everyone. It wires, and decides nothing.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, createClient, type Health, type Store } from '@toolyard/sdk';
import { acquireHome, createUpgradeGuard } from './app/backup.ts';
import { createEngines } from './app/engines.ts';
import { portOf, requireOwnToken, workspaceOf } from './app/environment.ts';
import { version } from './app/home.ts';
import { type Logs, openLogs } from './app/logs.ts';
import { findOwnModels, type OwnModels } from './app/model-access.ts';
import { ownToolkits } from './app/toolkits.ts';
import type { Yard, YardOptions } from './app/yard.ts';
import { createBackups } from './core/backup/backups.ts';
import { overlayConfig, readConfig } from './core/config/config.ts';
import { type Core, createCore } from './core/core.ts';
import { ensureToken, prepareHome, removeServerFile, writeServerFile } from './core/files/home.ts';
import type { Clock, Logger } from './core/lib/ports.ts';
import { withDefaultModel } from './core/models/default-model.ts';
import { createTraces, type Traces } from './core/operator-log/traces.ts';
import { createWorktrees } from './core/worktrees/worktrees.ts';
import type { EngineRegistry } from './engines/registry.ts';
import { createHttpApp } from './http/app.ts';
import { type Listener, listen } from './http/server/listen.ts';
import { createReaderList, defaultReaderLimits } from './http/server/readers.ts';
import { createMcp } from './mcp/serve.ts';
import type { Rehearsal, RehearsalOptions } from './rehearsal/serve.ts';
import { createGit } from './sandbox/git.ts';
import { openSandbox } from './sandbox/sandbox.ts';
import { writeBackup } from './store/backup/write-backup.ts';
import { openStore } from './store/open.ts';

export type { Yard, YardOptions } from './app/yard.ts';

const systemClock: Clock = { now: () => Date.now() };

/** Opens a home: its store, what the last run left behind, every part wired. Ready to serve when it resolves. */
export async function openYard(options: YardOptions): Promise<Yard> {
  await prepareHome(options.home);
  const entered = await acquireHome(options.home, options.onCrashPoint);
  return await openAcquired(options).finally(() => entered.release());
}

async function openAcquired(options: YardOptions): Promise<Yard> {
  const { home, env, clock = systemClock } = options;
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
    ...(options.onCrashPoint && { onCrashPoint: options.onCrashPoint }),
    ...(options.maxPages && { maxPages: options.maxPages }),
    beforeUpgrade: createUpgradeGuard(home, logger, options.onUpgrade),
  });
  // The home is ours now, so what a killed server left running in its name may be ended.
  const mayRunUnconfined = () => config.workspace.security === 'full-control';
  const sandbox = openSandbox({ home, env, logger, mayRunUnconfined });
  sandbox.catch((cause: unknown) => logger.error('could not look for leftover processes', { cause }));
  const model = findOwnModels({
    env,
    config,
    clock,
    rehearse: options.rehearse ?? false,
    serveRehearsal: () => serveRehearsal(options.scenario ? { scenarioPath: options.scenario } : {}),
  });
  const yard = await buildOrRelease({
    options,
    config,
    token,
    clock,
    store: options.wrapStore?.(store) ?? store,
    logger,
    logs,
    lost: lost.signal,
    model,
    sandbox,
  });
  await yard.recover().catch(async (thrown) => {
    await yard.close();
    throw thrown;
  });
  return yard;
}

/** What cannot be built, such as two tools of one name, leaves the home as free as it was. */
async function buildOrRelease(parts: Parts): Promise<ReturnType<typeof build>> {
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
  clock: Clock;
  store: Store;
  logger: Logger;
  logs: Logs;
  lost: AbortSignal;
  model: OwnModels;
  sandbox: ReturnType<typeof openSandbox>;
}

function build(parts: Parts): Yard & { recover(): Promise<void> } {
  const { options, config, token, clock, store, model } = parts;
  const server: { listener?: Listener } = {};
  const traces = createTraces({
    clock,
    logger: parts.logger,
    all: options.trace ?? false,
    folder: join(options.home, 'traces'),
    redact: parts.logs.redact,
  });
  const engines = createEngines({ ...parts, traces });
  const core = buildCore(
    parts,
    { engines, traces },
    () => server.listener?.port ?? portOf(options.env, config),
  );
  const backups = createBackups({
    home: options.home,
    version,
    store,
    clock,
    config,
    logger: parts.logger,
    writeBackup,
  });
  const mcp = createMcp({ ...core, clock, version });
  const readers = createReaderList();
  const readerLimits = { ...defaultReaderLimits, ...options.readerLimits };
  core.principals.onRevoked((id) => {
    readers.dismiss(id);
    mcp.dismiss(id);
  });
  const startedAt = clock.now();
  let lastBusy = startedAt;
  const app = createHttpApp({
    core,
    backups,
    readers,
    readerLimits,
    version,
    pageFolder: fileURLToPath(new URL('../dist/web', import.meta.url)),
    listenHost: () => server.listener?.host ?? config.server.host,
    publicUrl: config.server.publicUrl,
    health: () => toHealth(model.rehearsing),
    diagnose: async () =>
      (await import('./app/doctor.ts')).diagnoseInWorker({ ...options, tools: core.toolNames }),
    mcp: mcp.handle,
  });
  const fetch = async (request: Request, env?: object) => {
    lastBusy = clock.now();
    return app.fetch(request, env);
  };
  const removeOwnServerFile = async () => server.listener && removeServerFile(options.home, process.pid);
  const stop = () =>
    closeInStages(parts.logger, [
      [mcp.close, backups.close, core.close, removeOwnServerFile],
      [readers.close],
      [() => server.listener?.close()],
      [engines.close],
      [model.close],
      [() => parts.sandbox.then((opened) => opened.close()).catch(() => {})],
      [() => store.close()],
      [() => parts.logger.info('server stopped', { pid: process.pid })],
      [parts.logs.close],
    ]);
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
        ...at,
        logger: parts.logger,
        payloadBytes: readerLimits.payloadBytes,
      });
      await core.principals.endLoginsOfOtherPorts();
      const { host, port } = server.listener;
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
      await writeServerFile(options.home, {
        pid: process.pid,
        url,
        startedAt: new Date(startedAt).toISOString(),
      });
      parts.logger.info('server listening', { url, version, pid: process.pid, home: options.home });
      return { url, host, port };
    },
    activity() {
      const isBusy = core.turns.isBusy() || backups.isBusy() || readers.count() > 0 || mcp.isBusy();
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
function completeConfig({ overlay, env }: YardOptions, written: Config): Config {
  return withDefaultModel(overlayConfig(written, overlay), env);
}

function buildCore(
  parts: Parts,
  { engines, traces }: { engines: EngineRegistry; traces: Traces },
  port: () => number,
): Core {
  const { options, config, token, clock, store, logger, lost, model } = parts;
  const { home, env } = options;
  return createCore({
    store,
    config,
    clock,
    logger,
    lost,
    home,
    env,
    onCrashPoint: options.onCrashPoint ?? (() => {}),
    hooks: options.hooks ?? {},
    shippedFolder: join(import.meta.dirname, '..', 'roles'),
    completeConfig: (written) => completeConfig(options, written),
    givenConfig: () => new Map(port() === config.server.port ? [] : [['server.port', port()]]),
    givenRoles: options.roles ?? [],
    outputsFolder: join(home, 'outputs'),
    redact: parts.logs.redact,
    ownerToken: token,
    port,
    defaultCwd: options.workspace ?? workspaceOf(env),
    rehearsing: model.rehearsing,
    models: model.models,
    traces,
    findEngine: engines.find,
    engines: engines.all,
    worktrees: createWorktrees({
      home,
      logger,
      git: createGit({ env, spawn: async (spec) => (await parts.sandbox).spawn(spec) }),
    }),
    toolkits: (lent) => [...ownToolkits(lent, { version, port }), ...(options.toolkits ?? [])],
  });
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

/** Loaded when it is needed: a server with a key has no use for the scripted model. */
export async function serveRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  return (await import('./rehearsal/serve.ts')).serveRehearsal(options);
}

type Close = () => unknown;

/**
 * Closes the parts of a stage at once, and a stage after the other. One that fails keeps none of the others open: it
 * rejects with what failed first, once all had their turn.
 */
async function closeInStages(logger: Logger, stages: readonly (readonly Close[])[]): Promise<void> {
  const failed: unknown[] = [];
  const closeOne = async (close: Close) => {
    try {
      await close();
    } catch (cause) {
      failed.push(cause);
      logger.error('could not close a part of the server', { cause });
    }
  };
  for (const stage of stages) await Promise.all(stage.map(closeOne));
  if (failed.length > 0) throw failed[0];
}
