// Lends the SDK a process that the harness owns: started through SpawnProcess, confined and ended with all it started.
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk';
import type {
  CommandBounds,
  ConfinedShell,
  NoCommands,
  OpenShell,
  OwnedProcess,
  ProcessSpec,
  ProcessView,
  SpawnProcess,
} from '@toolyard/sdk';

/** Of what the CLI says on stderr: enough to explain why it ended. */
const tailChars = 4_000;

export interface CliProcessDeps {
  spawn: SpawnProcess;
  openShell: OpenShell;
  view?: ProcessView | undefined;
  tap?: Tap | undefined;
}

export interface CliProcess {
  /** How far its commands reach. Before the first message; none runs until then. */
  allow(sessionId: string, bounds: CommandBounds | NoCommands | 'everything'): Promise<void>;
  /** A turn begins. */
  begin(): Promise<void>;
  /** The turn has ended, and no command runs. Never rejects. */
  rest(): Promise<void>;
  /** For the SDK's `spawnClaudeCodeProcess`. Called once. */
  spawn(options: SpawnOptions): SpawnedProcess;
  /** The last words on stderr. */
  tail(): string;
  /** Why it could not be started, if it could not. */
  failure(): Error | undefined;
  /** Ends it and everything it started; resolves when they are gone. */
  kill(graceMs?: number): Promise<void>;
  readonly exited: Promise<void>;
}

/** Sees every line between us and the CLI. */
export type Tap = (direction: 'in' | 'out', line: string) => void;

export function createCliProcess({ spawn: start, openShell, view, tap }: CliProcessDeps): CliProcess {
  const exited = Promise.withResolvers<void>();
  let shell: Promise<ConfinedShell | undefined> | undefined;
  let allowed: Promise<void> | undefined;
  let owned: Promise<OwnedProcess> | undefined;
  let tail = '';
  let failure: Error | undefined;

  const requireShell = () => {
    shell ??= openShell();
    return shell;
  };

  async function startConfined(spec: ProcessSpec): Promise<OwnedProcess> {
    const opened = await requireShell();
    await allowed;
    return start(opened ? withShell(spec, opened) : spec);
  }

  async function readStderr({ stderr }: OwnedProcess): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stderr)
      tail = (tail + decoder.decode(chunk, { stream: true })).slice(-tailChars);
  }

  return {
    exited: exited.promise,
    tail: () => tail.trim(),
    failure: () => failure,
    allow(sessionId, bounds) {
      allowed = requireShell().then((opened) => opened?.allow(sessionId, bounds));
      allowed.catch(() => {});
      return allowed;
    },
    begin: async () => (await shell)?.begin(),
    async rest() {
      const running = await owned?.catch(() => undefined);
      if (running) await (await shell)?.rest(running.pid).catch(() => {});
    },
    async kill(graceMs) {
      const running = await owned?.catch(() => undefined);
      await running?.kill(graceMs);
    },
    spawn({ command, args, cwd, env, signal }) {
      const purpose = 'claude';
      const spec = { command, args, cwd: cwd ?? '/', env: withoutHoles(env), purpose, signal };
      owned = startConfined({ ...spec, ...(view && { view }) });
      const events = new EventEmitter();
      // An error that nobody listens to any more is thrown.
      events.on('error', () => {});
      const state = { killed: false, exitCode: null as number | null };
      owned.then(readStderr).catch(() => {});
      owned
        .then(({ exited }) => exited)
        .then(
          ({ code, signal: by }) => {
            state.exitCode = code;
            shell?.then((opened) => opened?.close()).catch(() => {});
            exited.resolve();
            events.emit('exit', code, by);
          },
          (thrown: Error) => {
            failure = thrown;
            shell?.then((opened) => opened?.close()).catch(() => {});
            exited.resolve();
            events.emit('error', thrown);
          },
        );
      return toSpawned(owned, events, state, tap);
    },
  };
}

/** Its Bash runs this shell; the CLI knows one by its name. What it asks git runs in the same bounds. */
function withShell(spec: ProcessSpec, { bin, shown }: ConfinedShell): ProcessSpec {
  const { PATH = defaultPath, ...env } = spec.env;
  return {
    ...spec,
    env: { ...env, PATH: `${bin}:${PATH}`, CLAUDE_CODE_SHELL: join(bin, 'bash') },
    view: { ...spec.view, shown: [...(spec.view?.shown ?? []), ...shown] },
  };
}

const defaultPath = '/usr/local/bin:/usr/bin:/bin';

function toSpawned(
  owned: Promise<OwnedProcess>,
  events: EventEmitter,
  state: { killed: boolean; exitCode: number | null },
  tap: Tap | undefined,
): SpawnedProcess {
  const tapIn = tap && toLines((line) => tap('in', line));
  const tapOut = tap && toLines((line) => tap('out', line));
  const stdin = new Writable({
    write(chunk: Buffer, _, done) {
      tapIn?.(chunk);
      owned.then((process) => process.stdin.write(chunk)).then(() => done(), done);
    },
    final(done) {
      owned
        .then((process) => process.stdin.end())
        .then(
          () => done(),
          () => done(),
        );
    },
  });
  async function* read() {
    for await (const chunk of (await owned).stdout) {
      tapOut?.(chunk);
      yield chunk;
    }
  }
  const stdout = Readable.from(read(), { objectMode: false });
  // A process that is gone breaks its pipes; its exit says more.
  stdin.on('error', () => {});
  stdout.on('error', () => {});
  return {
    stdin,
    stdout,
    get killed() {
      return state.killed;
    },
    get exitCode() {
      return state.exitCode;
    },
    kill(signal) {
      state.killed = true;
      owned.then((process) => process.kill(signal === 'SIGKILL' ? 0 : undefined)).catch(() => {});
      return true;
    },
    on: events.on.bind(events),
    once: events.once.bind(events),
    off: events.off.bind(events),
  };
}

function withoutHoles(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** Cuts bytes into lines. */
function toLines(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) onLine(line);
  };
}
