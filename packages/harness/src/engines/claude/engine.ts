// The Claude engine: the official SDK and its real CLI, with our tools in it and our gate around its own.
import type { Config, Engine, OpenShell, SpawnProcess } from '@toolyard/sdk';
import { checkClaudeModel } from './check-model.ts';
import { forkConversation } from './fork.ts';
import { loadSdk } from './lib/sdk.ts';
import type { Tap } from './process/cli-process.ts';
import { createConfigFolder } from './process/config-folder.ts';
import { createExitingProcesses } from './process/exiting-processes.ts';
import { createHotPool } from './process/hot-pool.ts';
import { createSpares } from './process/spare.ts';
import { createStarter } from './process/starter.ts';
import { createClaudeSession } from './session.ts';
import { toNativeTools } from './tools/native-tools.ts';
import { toConfigFolder } from './transcripts/transcript-file.ts';
import { createClaudeTranscripts } from './transcripts/transcripts.ts';

export interface ClaudeEngineOptions {
  spawn: SpawnProcess;
  /** A shell for the commands of each process. */
  openShell: OpenShell;
  /** Why there is none on this computer, if so. */
  unconfined(): string | undefined;
  env: NodeJS.ProcessEnv;
  config: Config['claude'];
  streamTimeoutMs: number;
  /** What reaches a model, as the CLI's environment says it. Asked at each start; may reject with what to do. */
  access(): Promise<Readonly<Record<string, string>>>;
  /** Toolyard's: no agent may look into it, and the CLI's configuration is in it. */
  home: string;
  /** Do processes that `spawn` starts see what their view says? */
  hasViews(): Promise<boolean>;
  /** Of the package. */
  version: string;
  tapOf?(sessionId: string): Tap | undefined;
  /** Bytes that may be used; the machine's own by default. */
  freeMemory?: () => number;
}

export function createClaudeEngine(options: ClaudeEngineOptions): Engine {
  const { spawn, openShell, env, config, streamTimeoutMs, version, home } = options;
  const { executable, maxHot } = config;
  const memory = options.freeMemory && { freeMemory: options.freeMemory };
  const hot = createHotPool({ idleMs: config.idleMinutes * 60_000, maxHot, ...memory });
  const spares = config.spare ? createSpares({ loadSdk, spawn, openShell, ...memory }) : undefined;
  const configFolder = createConfigFolder({
    home,
    env,
    trustsManaged: config.trustManagedSettings,
    hasViews: options.hasViews,
  });
  const starter = createStarter({
    loadSdk,
    spawn,
    openShell,
    version,
    ...(spares && { spares }),
    async launch() {
      const access = await options.access();
      const isolation = await configFolder.prepare(access);
      return { env, executable, streamTimeoutMs, hidden: [home], access, isolation };
    },
    tapOf: options.tapOf ?? (() => undefined),
  });
  const deps = {
    starter,
    hot,
    exitingProcesses: createExitingProcesses(),
    configFolder: toConfigFolder(env),
  };
  return {
    id: 'claude',
    get nativeTools() {
      return toNativeTools(options.unconfined());
    },
    startsEarly: true,
    hasWire: true,
    checkModel: checkClaudeModel,
    transcripts: createClaudeTranscripts(env),
    fork: (forking) => forkConversation(deps.configFolder, forking),
    async start(spec) {
      const session = createClaudeSession(deps, spec);
      session.warm();
      return session;
    },
    expect: (spec) => starter.expect(spec, 0),
    close: async () => spares?.close(),
  };
}
