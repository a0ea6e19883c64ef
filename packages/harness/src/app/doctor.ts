// The doctor, wired: what it asks of the rooms around the core. Opens no yard, and disturbs no server that runs.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createClient, ErrorBody, type SpawnProcess, ToolyardError } from '@toolyard/sdk';
import { createToolRegistry } from '../core/calls/tool-registry.ts';
import { type ConfigInput, overlayConfig, readConfig } from '../core/config/config.ts';
import { type ToolNames, toToolNames } from '../core/config-editor/unknown-tools.ts';
import { diagnose as runDoctor } from '../core/doctor/diagnose.ts';
import type { Finding } from '../core/doctor/finding.ts';
import type { DatabaseFacts, DoctorProbes } from '../core/doctor/probes.ts';
import { readToken } from '../core/files/home.ts';
import { silentLogger } from '../core/operator-log/logger.ts';
import { createConfigFolder } from '../engines/claude/process/config-folder.ts';
import { probeClaude } from '../engines/claude/process/probe.ts';
import { probeTranscripts } from '../engines/claude/transcripts/transcripts.ts';
import { findPortOwner } from '../http/server/port-owner.ts';
import { probeSandbox } from '../sandbox/probe.ts';
import { attempts, proveConfinement } from '../sandbox/prove-confinement.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { type InspectOptions, inspectDatabase, inspectModule } from '../store/inspect-database.ts';
import { workspaceOf } from './environment.ts';
import { shippedToolkits } from './toolkits.ts';

export type { Finding } from '../core/doctor/finding.ts';

/** Looks from a process of its own, which knows the tools that ship. */
export function diagnose(home: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const tools = toToolNames(createToolRegistry(shippedToolkits()));
  return runDoctor(toProbes({ home, env, tools }, inspectDatabase));
}

/** Looks from within the server: what would make it stand still is left to a thread. */
export function diagnoseInWorker(yard: DiagnosedYard): Promise<Finding[]> {
  return runDoctor(toProbes(yard, inspectInWorker));
}

export interface DiagnosedYard {
  home: string;
  env: NodeJS.ProcessEnv;
  workspace?: string | undefined;
  tools: ToolNames;
  /** What the program around it says over the home's configuration. */
  overlay?: ConfigInput | undefined;
}

function toProbes(
  { home, env, workspace, tools, overlay }: DiagnosedYard,
  inspect: typeof inspectDatabase,
): DoctorProbes {
  return {
    home,
    env,
    workspace: workspace ?? workspaceOf(env),
    tools,
    now: Date.now(),
    async readConfig() {
      const file = await readConfig(home);
      return { ...file, config: overlayConfig(file.config, overlay), hasOverlay: overlay !== undefined };
    },
    shippedFolder: join(import.meta.dirname, '..', '..', 'roles'),
    inspectDatabase: () => inspect({ path: join(home, 'toolyard.db'), now: Date.now(), host: hostname() }),
    findPortOwner: async (host, port) => ((await isFree(host, port)) ? undefined : nameOwner(port)),
    probeSandbox: () => probeSandbox(env),
    proveConfinement: () => proveConfinement(env, silentLogger),
    attempts: attempts.length,
    probeTranscripts: () => probeTranscripts(env, AbortSignal.timeout(5_000)),
    probeClaude: (executable) => withSpawn(env, (spawn) => probeClaude({ spawn, executable })),
    probeClaudeSettings(trustsManaged) {
      const hasViews = async () => (await probeSandbox(env)).kind === 'namespace';
      return createConfigFolder({ home, env, trustsManaged, hasViews }).inspect();
    },
    async admitsCookie(url) {
      const cookie = `toolyard=${(await readToken(home, env)) ?? ''}`;
      const signal = AbortSignal.timeout(2_000);
      return fetch(`${url}/api/sessions`, { headers: { cookie }, signal }).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    answers: (url) =>
      fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
        () => true,
        () => false,
      ),
    askHealth: (url, origin) =>
      createClient({
        baseUrl: url,
        ...(origin && { fetch: (request) => fetch(new Request(request, { headers: { origin } })) }),
      }).health(AbortSignal.timeout(2_000)),
  };
}

function nameOwner(port: number): string {
  const owner = findPortOwner(port);
  return owner ? `${owner.command} (pid ${owner.pid})` : 'another program';
}

/** By trying: it listens for a moment. */
function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

// Runs inside the thread.
const program = `
const { parentPort, workerData } = require('node:worker_threads');
import(workerData.module)
  .then((found) => found.inspectDatabase(workerData.options))
  .then((facts) => parentPort.postMessage({ facts }))
  .catch((error) => parentPort.postMessage({ error: { code: error?.code ?? 'internal', message: String(error?.message ?? error) } }));
`;

function inspectInWorker(options: InspectOptions): Promise<DatabaseFacts | undefined> {
  const worker = new Worker(program, { eval: true, env: {}, workerData: { module: inspectModule, options } });
  return new Promise<DatabaseFacts | undefined>((resolve, reject) => {
    worker.once('message', (message: { facts?: DatabaseFacts }) => {
      const failed = ErrorBody.safeParse(message);
      if (!failed.success) return resolve(message.facts);
      reject(new ToolyardError(failed.data.error.code, failed.data.error.message));
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the check of the database exited without a result')));
  }).finally(() => worker.terminate());
}

/** Lends a way to start processes that belong to no home, so that none of a running server's is touched. */
async function withSpawn<T>(env: NodeJS.ProcessEnv, work: (spawn: SpawnProcess) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-doctor-'));
  try {
    const sandbox = await openSandbox({ home: folder, env, logger: silentLogger });
    return await work(sandbox.spawn).finally(() => sandbox.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
