// The Claude engine with the real CLI, confined as in the product, where a test sees every process that is started and
// every request to the model, and can stand between the engine and a process.
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  Config,
  type EngineSession,
  type EngineSpec,
  type OwnedProcess,
  type PermissionMode,
  type ProcessSpec,
  pause,
  type TurnOutcome,
} from '@toolyard/sdk';
import {
  createJournal,
  createRecordingHost,
  type RecordingHostOptions,
  suiteTools,
} from '@toolyard/sdk/testing';
import { onTestFinished } from 'vitest';
import { type ClaudeEngineOptions, createClaudeEngine } from '../../../src/engines/claude/engine.ts';
import { scenarioPaths } from '../../../src/rehearsal/scenarios/load-scenario.ts';
import { Scenario } from '../../../src/rehearsal/scenarios/scenario.ts';
import { serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { openModelTap } from '../../acceptance/model-tap.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** One process that the engine has started. */
export interface Spawned {
  spec: ProcessSpec;
  owned: OwnedProcess;
  /** It was started to wait for a session. */
  isSpare: boolean;
  /** It was started to go on with a conversation. */
  resumes: boolean;
  /** It has answered the SDK's first request: it can be told what to do. */
  hasBegun: boolean;
  hasExited: boolean;
}

/** Stands between the engine and one of its processes; `nth` counts from 0. */
export type WrapProcess = (
  owned: OwnedProcess,
  nth: number,
  spec: ProcessSpec,
) => Promise<OwnedProcess> | OwnedProcess;

export interface HotWorldOptions {
  config?: Partial<Config['claude']>;
  engine?: Partial<Pick<ClaudeEngineOptions, 'access' | 'freeMemory'>>;
  wrapProcess?: WrapProcess;
  /** Runs before a process is started; what it throws is why there is none. */
  beforeSpawn?(spec: ProcessSpec): Promise<void> | void;
}

/** What a turn is given besides its message. */
export interface TurnOptions extends RecordingHostOptions {
  mode?: PermissionMode;
}

export type HotWorld = Awaited<ReturnType<typeof openHotWorld>>;

export async function openHotWorld(options: HotWorldOptions = {}) {
  const { config, engine: changed, wrapProcess = (owned) => owned, beforeSpawn } = options;
  const root = await mkdtemp(join(tmpdir(), 'toolyard-hot-'));
  const [userHome = '', home = '', cwd = ''] = await Promise.all(
    ['user', 'home', 'work'].map((name) => mkdtemp(join(root, `${name}-`))),
  );
  const env = { PATH: process.env.PATH ?? '', HOME: userHome };
  const rehearsal = await serveRehearsal({ scenarios: [scenario], scenarioPath: scenarioPaths.conformance });
  const tap = await openModelTap(rehearsal.url);
  const sandbox = await openSandbox({ home, env, logger: silent });
  const spawned: Spawned[] = [];
  const engine = createClaudeEngine({
    env,
    version: 'test',
    home,
    hasViews: sandbox.hasViews,
    openShell: sandbox.openShell,
    unconfined: () => undefined,
    streamTimeoutMs: 600_000,
    config: { ...Config.parse({}).claude, spare: false, ...config },
    access: async () => ({ ANTHROPIC_BASE_URL: tap.url, ANTHROPIC_API_KEY: 'test' }),
    freeMemory: () => Number.POSITIVE_INFINITY,
    ...changed,
    async spawn(spec) {
      await beforeSpawn?.(spec);
      const owned = await sandbox.spawn(spec);
      const started = note(spec, owned);
      spawned.push(started);
      return wrapProcess({ ...owned, stdout: watched(started) }, spawned.length - 1, spec);
    },
  });
  const sessions: EngineSession[] = [];
  const journals = new Map<EngineSession, ReturnType<typeof createJournal>>();
  const specOf = (spec: Partial<EngineSpec> = {}): EngineSpec => ({
    sessionId: 'ses_hot',
    model: 'anthropic/claude-sonnet-5',
    instructions: 'You are being tested.',
    cwd,
    maxSteps: 20,
    tools: suiteTools,
    nativeTools: ['claude:Read'],
    ...spec,
  });

  const world = {
    engine,
    spawned,
    asked: tap.asked,
    url: tap.url,
    cwd,
    userHome,
    specOf,
    async open(spec: Partial<EngineSpec> = {}): Promise<EngineSession> {
      const session = await engine.start(specOf(spec));
      sessions.push(session);
      journals.set(session, createJournal());
      return session;
    },
    /** One of those that were started. */
    process(nth = 0): OwnedProcess {
      const found = spawned.at(nth);
      if (!found) throw new Error(`there is no process ${nth}`);
      return found.owned;
    },
    journal: (session: EngineSession) => journals.get(session) ?? createJournal(),
    /** Begins a turn. */
    begin(session: EngineSession, content: string, { mode = 'default', ...options }: TurnOptions = {}) {
      const recording = createRecordingHost({ journal: world.journal(session), ...options });
      const host = Object.assign(recording, { mode: async () => mode });
      const ended = session.prompt({ kind: 'message', content }, host).then((outcome) => {
        host.end(outcome);
        return outcome;
      });
      return { host, ended };
    },
    /** A turn from its beginning to its end: what was said, or how it failed. */
    async say(session: EngineSession, content: string, options?: TurnOptions): Promise<string> {
      const { host, ended } = world.begin(session, content, options);
      const outcome = await ended;
      if (outcome.outcome !== 'completed') return toWords(outcome);
      return host.events.map((event) => (event.type === 'text_delta' ? event.data.text : '')).join('');
    },
    /** Frees everything but the folders, as the server does when it stops. */
    async closeEngine(): Promise<void> {
      await Promise.all(sessions.map((session) => session.close()));
      await engine.close?.();
    },
  };
  onTestFinished(async () => {
    await world.closeEngine();
    await sandbox.close();
    await tap.close();
    await rehearsal.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return world;
}

/** Before the conformance suite's: what these tests need besides. */
const scenario = Scenario.parse({
  description: 'for processes that come and go',
  rules: [
    { when: { userIs: 'who are you' }, reply: [{ text: 'I am {{model}}.' }] },
    { when: { user: 'remember {word}', step: 0 }, reply: [{ text: 'I shall remember {{word}}.' }] },
    { when: { userIs: 'what was it' }, reply: [{ text: 'You said: {{firstUser}}.' }] },
    {
      when: { userIs: 'slowly' },
      pace: { chunkChars: 5, delayMs: 100 },
      reply: [{ text: 'slow ', repeat: 100 }],
    },
  ],
});

export function toWords(outcome: TurnOutcome): string {
  return 'error' in outcome
    ? `${outcome.outcome} ${outcome.error.code}: ${outcome.error.message}`
    : outcome.outcome;
}

function note(spec: ProcessSpec, owned: OwnedProcess): Spawned {
  const started: Spawned = {
    spec,
    owned,
    hasBegun: false,
    hasExited: false,
    isSpare: spec.args.some((word) => word.includes('await-claim')),
    resumes: spec.args.some((word) => word.startsWith('--resume')),
  };
  void owned.exited.then(() => {
    started.hasExited = true;
  });
  return started;
}

async function* watched(started: Spawned) {
  for await (const chunk of started.owned.stdout) {
    yield chunk;
    started.hasBegun ||= Buffer.from(chunk).includes('"control_response"');
  }
}

/** Waits until `holds`; a test that waits in vain says for what. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 15_000,
): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await pause(10)) if (await holds()) return;
  throw new Error(`waited in vain until ${what}`);
}

/** The CLI itself, which runs below the process that confines it. */
export async function findCli({ pid }: { pid: number }): Promise<number> {
  for (let look = 0; look < 500; look++) {
    const found = await findBelow(pid);
    if (found) return found;
    await pause(5);
  }
  throw new Error(`no CLI below ${pid}`);
}

async function findBelow(pid: number): Promise<number | undefined> {
  // A process may be gone before it is looked at.
  const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
  if (basename(program).startsWith('claude')) return pid;
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const thread of threads) {
    const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter(Boolean)) {
      const found = await findBelow(Number(child));
      if (found) return found;
    }
  }
  return undefined;
}

export async function killCli(owned: { pid: number }): Promise<void> {
  process.kill(await findCli(owned), 'SIGKILL');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
